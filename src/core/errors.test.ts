import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CODES, FootholdError, invariant, isFootholdError, unreachable } from "./errors.ts";

describe("a FootholdError", () => {
  it("has a code, what it is about, and its cause", () => {
    const cause = new Error("socket");
    const error = new FootholdError("DATABASE_UNAVAILABLE", "The database is away.", {
      cause,
      details: { caseId: "07-x", fields: [{ path: "a.b", message: "is missing" }] },
    });
    expect(error).toMatchObject({ name: "FootholdError", code: "DATABASE_UNAVAILABLE", cause });
    expect(error.details).toEqual({ caseId: "07-x", fields: [{ path: "a.b", message: "is missing" }] });
    expect(String(error)).toBe("FootholdError: The database is away.");
  });

  it("has no cause and no details where there are none", () => {
    const error = new FootholdError("USAGE", "What?");
    expect(error.details).toEqual({});
    expect("cause" in error).toBe(false);
  });
});

describe("isFootholdError", () => {
  it("knows our errors by their shape, also from another copy of the package", () => {
    expect(isFootholdError(new FootholdError("USAGE", "What?"))).toBe(true);
    expect(isFootholdError({ name: "FootholdError", code: "USAGE", message: "", details: {} })).toBe(true);
  });

  it.each([
    null,
    undefined,
    "FootholdError",
    new Error("x"),
    {},
    { name: "FootholdError" },
    { name: "FootholdError", code: "ENOENT" },
  ])("takes no other value for one: %s", (value) => {
    expect(isFootholdError(value)).toBe(false);
  });
});

describe("what must always hold", () => {
  it("stays checked in production, with a code and a plea to report it", () => {
    expect(() => invariant(true, "never said")).not.toThrow();
    expect(() => invariant(false, "two and two are five")).toThrow(
      expect.objectContaining({
        code: "INVARIANT_BROKEN",
        message: "two and two are five (this is a bug in Foothold: please report it)",
      }),
    );
  });

  it("a value from outside its type is told", () => {
    expect(() => unreachable({ kind: "odd" } as never, "wait")).toThrow(
      expect.objectContaining({ code: "INVARIANT_BROKEN", message: 'unknown wait: {"kind":"odd"}' }),
    );
  });
});

describe("docs/reference/errors.md", () => {
  const page = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );

  it("has every code, once, in the order of the code, and no other", () => {
    expect(rows.map(([code]) => code)).toEqual(ERROR_CODES.map((code) => `\`${code}\``));
  });

  it("says cause and remedy of each", () => {
    for (const [code, cause = "", remedy = ""] of rows) {
      expect([code, cause.length > 10, remedy.length > 10]).toEqual([code, true, true]);
    }
  });
});
