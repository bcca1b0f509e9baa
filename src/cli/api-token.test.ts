import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempDirectory } from "../../test/support/temp-directory.js";
import { keptApiToken } from "./api-token.js";
import { StartError } from "./start-error.js";

let directory: string;
let file: string;

beforeEach(() => {
  directory = tempDirectory();
  file = join(directory, "api-token");
});

describe("keptApiToken", () => {
  it("makes a token once, and gives the same one ever after", () => {
    const first = keptApiToken(file);
    expect(first.made).toBe(true);
    expect(first.value).toMatch(/^[\w-]{43}$/);
    expect(keptApiToken(file)).toEqual({ value: first.value, made: false });
    expect(readFileSync(file, "utf8")).toBe(`${first.value}\n`);
    expect(readdirSync(directory)).toEqual(["api-token"]);
  });

  it("lets only the owner read it, whatever the umask says", () => {
    const before = process.umask(0);
    try {
      keptApiToken(file);
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([0o644, 0o640, 0o606])("refuses a file that others may use (mode %o)", (mode) => {
    writeFileSync(file, "token\n");
    chmodSync(file, mode);
    expect(() => keptApiToken(file)).toThrow(`is open to other users; run \`chmod 600 ${file}\``);
  });

  it("refuses a symbolic link, wherever it leads", () => {
    const target = join(directory, "target");
    symlinkSync(target, file);
    expect(() => keptApiToken(file)).toThrow("is a symbolic link");
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, "planted\n", { mode: 0o600 });
    expect(() => keptApiToken(file)).toThrow("is a symbolic link");
  });

  it.each(["", "\n", "two words\n", "тайна\n"])("refuses a damaged file: %j", (text) => {
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => keptApiToken(file)).toThrow("is damaged");
  });

  it("says what to do when the directory cannot be used", () => {
    expect(() => keptApiToken(join(directory, "missing", "api-token"))).toThrow(StartError);
    expect(() => keptApiToken(join(directory, "missing", "api-token"))).toThrow(
      /cannot be written .*set API_TOKEN/,
    );
  });
});
