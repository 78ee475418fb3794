import { expect, test } from "vitest";
import type { Wait } from "../core/waits.ts";
import { sayEntry } from "./entry-words.ts";

const formatTime = (at: number): string => `T+${at}`;
const park = (...waits: readonly Wait[]): string =>
  sayEntry({ kind: "parked", waits, dueAt: waits[0]?.dueAt ?? null }, formatTime);

test("a wait that may end earlier says so, and one with a fixed time does not", () => {
  const retry = { attempt: 2, attemptsMax: 5, by: "backoff" } as const;
  expect(park({ kind: "retry", step: "notify", dueAt: 7, ...retry })).toBe("Waits at notify until T+7.");
  expect(park({ kind: "timer", step: "rest", dueAt: 7 })).toBe("Waits at rest until T+7.");
  expect(park({ kind: "event", step: "goods", dueAt: 7, eventType: "arrived" })).toBe(
    "Waits at goods until T+7 at the latest.",
  );
  expect(park({ kind: "approval", step: "approve", dueAt: null, by: "finance" })).toBe(
    "Waits at approve until somebody acts.",
  );
  expect(park()).toBe("Stands still until a person acts.");
});
