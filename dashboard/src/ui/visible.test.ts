import { describe, expect, it } from "vitest";
import { visible } from "./visible.js";

describe("visible text", () => {
  it("is the text itself where everything can be seen", () => {
    const text = "a & b <c> \"d\" 'e' &amp;\n\tпривет, 😀 👨‍👩‍👧 עברית";
    expect(visible(text)).toBe(text);
  });

  it("shows control characters as their pictures", () => {
    expect(visible("\u001b[31mred\u001b[0m\u0000\u007f")).toBe("␛[31mred␛[0m␀␡");
  });

  it("shows characters that turn the direction of writing around", () => {
    expect(visible("a\u202egpj.exe\u2066")).toBe("a⟨U+202E⟩gpj.exe⟨U+2066⟩");
  });

  it("shows a carriage return that does not end a line", () => {
    expect(visible("one\r\ntwo\rthree")).toBe("one\ntwo␍three");
  });

  it("shows spaces that have no width, and separators that JSON leaves as they are", () => {
    expect(visible("a\u200bb\u2028c\ufeff")).toBe("a⟨U+200B⟩b⟨U+2028⟩c⟨U+FEFF⟩");
  });
});
