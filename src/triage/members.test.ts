import { describe, expect, test } from "vitest";
import type { Failure } from "../core/failure.ts";
import type { WireEvidence, WireRequest } from "../core/wire-evidence.ts";
import { sortFailure } from "./sort.ts";

function sort(thrown: unknown, evidence: WireEvidence | null = null): Failure {
  return sortFailure(thrown, { destination: "erp", stopped: null, now: 0, evidence, sorters: [] });
}

function coded(code: string, syscall?: string): Error {
  return Object.assign(new Error("x"), { code, ...(syscall === undefined ? {} : { syscall }) });
}

function refused(): Error {
  return coded("ECONNREFUSED", "connect");
}

function rejected(): Error {
  return Object.assign(new Error("x"), { response: { status: 422, headers: {}, body: "" } });
}

const lost = coded("ECONNRESET", "read");
const taken = Object.assign(coded("23505"), { severity: "ERROR" });

describe("errors that failed side by side", () => {
  test.each<[string, unknown]>([
    ["and were all refused", new AggregateError([refused(), refused()])],
    ["each on all addresses of its name", new AggregateError([new AggregateError([refused()]), refused()])],
    [
      "behind what fetch makes of them",
      new AggregateError([new TypeError("fetch failed", { cause: new AggregateError([refused()]) })]),
    ],
  ])("prove together that nothing was sent: %s", (_, thrown) => {
    expect(sort(thrown)).toMatchObject({ kind: "transient", executed: "no", rule: "unsent.ECONNREFUSED" });
  });

  test.each<[string, unknown]>([
    [
      "one that was lost, behind all others",
      new AggregateError([...Array.from({ length: 9 }, refused), lost]),
    ],
    ["one without a code", new AggregateError([refused(), new Error("socket hang up")])],
    ["one that took too long", new AggregateError([refused(), new DOMException("x", "TimeoutError")])],
    ["what is no error", new AggregateError([refused(), "boom"])],
    ["more than are read", new AggregateError(Array.from({ length: 40 }, refused))],
    ["levels that are not read", new AggregateError([new AggregateError([new AggregateError([lost])])])],
    ["a cause that is not reached", deepOver(refused())],
  ])("prove nothing beside %s", (_, thrown) => {
    expect(sort(thrown)).toMatchObject({ kind: "unknown", executed: "maybe" });
  });

  test.each<[string, unknown, string]>([
    ["HTTP", new AggregateError([rejected(), lost]), "rejected"],
    ["a database", new AggregateError([taken, new Error("Connection terminated unexpectedly")]), "conflict"],
    [
      "HTTP, behind an error of the author",
      new Error("x", { cause: new AggregateError([rejected(), lost]) }),
      "rejected",
    ],
  ])("are not settled by the answer that one of them got: %s", (_, thrown, cause) => {
    const failure = sort(thrown);
    expect(failure).toMatchObject({ kind: "unknown", executed: "maybe", cause });
    expect(failure.sentence).toContain("more failed beside it");
  });

  test("are settled where each got its answer", () => {
    expect(sort(new AggregateError([rejected(), rejected()]))).toMatchObject({
      kind: "rejected",
      executed: "no",
    });
  });

  test("need no proof of their own where the wire showed every request", () => {
    const thrown = new AggregateError([rejected(), new Error("given up")]);
    expect(sort(thrown, seen({ status: 422 }))).toMatchObject({ kind: "rejected", executed: "no" });
    expect(sort(thrown, seen({ status: null }, { status: 422 }))).toMatchObject({ kind: "unknown" });
    const blind = { ...seen({ status: 422 }), blindSpots: ["child process"] };
    expect(sort(thrown, blind)).toMatchObject({ kind: "unknown", executed: "maybe" });
  });

  test("are no errors where a list says which fields are wrong", () => {
    const listed = { errors: ["too long", { field: "name", message: "is missing" }] };
    expect(sort(Object.assign(rejected(), listed))).toMatchObject({ kind: "rejected", executed: "no" });
  });
});

/** So many causes that the last is out of sight, below one that proves something for itself. */
function deepOver(first: Error): Error {
  let last: Error = lost;
  for (let level = 0; level < 9; level += 1) last = new Error("x", { cause: last });
  return Object.assign(first, { cause: last });
}

function seen(...requests: readonly Partial<WireRequest>[]): WireEvidence {
  return {
    requests: requests.map((over) => ({
      method: "POST",
      origin: "https://erp.example",
      group: "g",
      keyHash: null,
      startedAt: 0,
      sent: "full",
      status: null,
      headers: {},
      isAnswerComplete: true,
      ...over,
    })),
    sentCount: requests.length,
    unsentCount: 0,
    blindSpots: [],
  };
}
