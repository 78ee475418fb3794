import { describe, expect, test } from "vitest";
import { storableText, thrownText } from "./storable-text.ts";

describe("a text for storage", () => {
  test("keeps what can be stored as it is", () => {
    expect(storableText("Zürich 🏔 \n ok", 100)).toBe("Zürich 🏔 \n ok");
  });

  test("loses NUL and half surrogate pairs, wherever they stand", () => {
    expect(storableText("a\0b", 100)).toBe("a\uFFFDb");
    expect(storableText("\uD83C x \uDFD4", 100)).toBe("\uFFFD x \uFFFD");
    expect(storableText("\uDFD4\uD83C", 100)).toBe("\uFFFD\uFFFD");
  });

  test("is cut without leaving half a pair behind", () => {
    expect(storableText("12🏔4", 3)).toBe("12\uFFFD…");
    expect(storableText("12🏔4", 4)).toBe("12🏔…");
    expect(storableText("1234", 4)).toBe("1234");
  });
});

describe("a thrown value in words", () => {
  test("is what it says of itself, fit for storage", () => {
    expect(thrownText(new RangeError("too\0far"), 100)).toBe("RangeError: too\uFFFDfar");
    expect(thrownText(undefined, 100)).toBe("undefined");
    expect(thrownText(Symbol("s"), 100)).toBe("Symbol(s)");
  });

  test("is told even if reading it throws", () => {
    expect(thrownText(Object.create(null), 100)).toBe("something that cannot be read");
    const hostile = {
      toString() {
        throw new Error("no");
      },
    };
    expect(thrownText(hostile, 100)).toBe("something that cannot be read");
  });
});
