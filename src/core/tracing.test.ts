import { expect, test } from "vitest";
import { untraced } from "./tracing.ts";

test("what nobody follows is done all the same", async () => {
  const work = { name: "send", of: { kind: "request" }, facts: {} } as const;
  expect(
    await untraced.follow(
      work,
      () => Promise.resolve(7),
      () => ({}),
    ),
  ).toBe(7);
});
