import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContext } from "../../engine/context.js";
import { openSqliteStore } from "../../store/sqlite/open.js";
import { tempDirectory } from "../../../test/support/temp-directory.js";
import { createAccess } from "./access.js";

test.each(["", " ", "a b", "a\n", "\t", "a\0"])(
  "a token that no client could send is refused: %j",
  (token) => {
    const store = openSqliteStore(join(tempDirectory(), "konveier.db"));
    onTestFinished(() => store.close());
    expect(() => createAccess(createContext(store), token)).toThrow(RangeError);
  },
);
