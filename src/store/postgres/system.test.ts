import { expect, test } from "vitest";
import { drawSalt } from "./system.ts";

test("no salt is given twice, however many are drawn", () => {
  const salts = Array.from({ length: 5_000 }, () => drawSalt());
  expect(new Set(salts).size).toBe(5_000);
  for (const salt of salts) expect(salt).toMatch(/^[\w-]{16}$/);
});
