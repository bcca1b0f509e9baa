import { expect, test } from "vitest";
import { requireToken } from "./auth.js";

test.each(["", " ", "a b", "a\n", "\t", "a\0"])(
  "a token that no client could send is refused: %j",
  (token) => {
    expect(() => requireToken(token)).toThrow(RangeError);
  },
);
