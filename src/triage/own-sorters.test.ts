import { describe, expect, test } from "vitest";
import type { Failure } from "../core/failure.ts";
import type { SeenFailure, Sorter } from "../core/seen-failure.ts";
import { sortFailure } from "./sort.ts";

const busy = Object.assign(new Error("no"), {
  response: { status: 409, headers: {}, body: { code: "BUSY" } },
});

function sort(...sorters: readonly Sorter[]): Failure {
  return sortFailure(busy, { destination: "erp", stopped: null, now: 0, evidence: null, sorters });
}

/** A sorter that the compiler never saw. */
function unchecked(given: unknown): Sorter {
  return () => given as ReturnType<Sorter>;
}

describe("a destination's own sorters", () => {
  test("see the errors, the answer, and what is made of them without a sorter", () => {
    let seen: SeenFailure | null = null;
    const failure = sort((given) => {
      seen = given;
      return null;
    });
    expect(seen).toMatchObject({
      errors: [{ name: "Error", message: "no" }],
      response: { status: 409, body: { code: "BUSY" } },
      requests: null,
      sorted: { kind: "conflict", rule: "http.409" },
    });
    expect(failure).toMatchObject({ kind: "conflict", rule: "http.409" });
  });

  test("have the last word; what they leave out follows from what they say", () => {
    const failure = sort(
      () => null,
      () => ({ cause: "throttled", retryAfterMs: 1_500, sentence: "erp is busy." }),
      () => ({ cause: "bug" }),
    );
    expect(failure).toMatchObject({
      kind: "throttled",
      executed: "no",
      owner: "system",
      scope: "credential",
      confidence: "declared",
      rule: "erp.sort[1]",
      sentence: "erp is busy.",
      instruction: { kind: "retryAfter", delayMs: 1_500 },
    });
  });

  test("make it unknown where they say that it may have happened", () => {
    expect(sort(() => ({ executed: "maybe" }))).toMatchObject({ kind: "unknown", cause: "conflict" });
  });

  test("name fields, whose access it is, and that it must not be sent again", () => {
    const fields = [{ path: "amount", message: "is too big" }];
    const failure = sort(() => ({
      cause: "denied",
      access: "blocked",
      owner: "operator",
      scope: "destination",
      retryAfterMs: "never",
      fields,
    }));
    expect(failure).toMatchObject({
      kind: "denied",
      access: "blocked",
      owner: "operator",
      scope: "destination",
      instruction: { kind: "doNotRetry" },
      fields,
    });
  });

  test.each<[string, Sorter, RegExp]>([
    [
      "throws",
      () => {
        throw new Error("of its own");
      },
      /of its own/,
    ],
    ["gives no object", unchecked(7), /object/],
    ["gives a promise", unchecked(Promise.resolve(null)), /async/],
    ["gives a cause that there is not", unchecked({ cause: "unknown" }), /cause/],
    ["gives a wait that is none", unchecked({ retryAfterMs: Number.NaN }), /retryAfterMs/],
    ["gives fields that are none", unchecked({ fields: [null] }), /./],
  ])("are passed over with a note where one %s, and the next is asked", (_, faulty, note) => {
    const alone = sort(faulty);
    expect(alone).toMatchObject({ kind: "conflict", rule: "http.409" });
    expect(alone.raw).toMatchObject({ sorterFaults: [expect.stringMatching(note)] });
    const asked = sort(faulty, () => ({ cause: "gone" }));
    expect(asked).toMatchObject({ kind: "gone", rule: "erp.sort[1]" });
    expect(asked.raw).toMatchObject({ sorterFaults: [expect.stringMatching(note)] });
  });
});
