import { describe, expect, test } from "vitest";
import type { Failure } from "../core/failure.ts";
import type { WireEvidence, WireRequest } from "../core/wire-evidence.ts";
import { sortFailure, type StopCause } from "./sort.ts";

function sort(thrown: unknown, evidence: WireEvidence, stopped: StopCause | null = null): Failure {
  return sortFailure(thrown, { destination: "erp", stopped, now: 0, evidence, sorters: [] });
}

function request(over: Partial<WireRequest> = {}): WireRequest {
  return {
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
  };
}

function seen(requests: readonly WireRequest[], over: Partial<WireEvidence> = {}): WireEvidence {
  const unsentCount = requests.filter(({ sent }) => sent === "none").length;
  return { requests, sentCount: requests.length - unsentCount, unsentCount, blindSpots: [], ...over };
}

function answered(status: number, body: unknown = null): Error {
  return Object.assign(new Error("no"), { response: { status, headers: {}, body } });
}

const failed = new Error("failed");
const lost = request();
const token = request({ origin: "https://login.example", group: "t", status: 200 });

describe("the wire wins over the error", () => {
  test("what was never sent did not happen, whatever the error says", () => {
    const unsent = seen([request({ sent: "none" })]);
    expect(sort(failed, unsent)).toMatchObject({ kind: "transient", executed: "no", confidence: "proved" });
    expect(sort(answered(500), unsent)).toMatchObject({ kind: "transient", executed: "no" });
    expect(sort(new TypeError("x"), unsent)).toMatchObject({ kind: "bug", executed: "no" });
  });

  test("a status that nobody answered is no answer", () => {
    expect(sort(answered(422), seen([lost]))).toMatchObject({ kind: "unknown", rule: "wire.noAnswer" });
    expect(sort(answered(422), seen([request({ status: 503 })]))).toMatchObject({ rule: "http.503" });
  });

  test("what the error tells of an answer stays, with the headers that the wire has", () => {
    const throttled = request({ status: 429, headers: { "retry-after": "7" } });
    expect(sort(answered(429, { error: { code: "insufficient_quota" } }), seen([throttled]))).toMatchObject({
      kind: "quota",
      instruction: { kind: "retryAfter", delayMs: 7_000 },
    });
  });

  test("an answer's own body that an author threw is joined with the status that the wire saw", () => {
    const faults = { errors: [{ field: "iban", message: "is not valid" }] };
    const refused = seen([request({ status: 422 })]);
    for (const thrown of [faults, JSON.stringify(faults), new Error("refused", { cause: faults })]) {
      expect(sort(thrown, refused)).toMatchObject({
        kind: "rejected",
        executed: "no",
        fields: [{ path: "iban", message: "is not valid" }],
        raw: { response: { status: 422, body: faults } },
      });
    }
    const usedUp = { error: { code: "insufficient_quota" } };
    expect(sort(usedUp, seen([request({ status: 429 })]))).toMatchObject({ kind: "quota" });
    expect(sort(usedUp, seen([request({ status: 503 })]))).toMatchObject({ cause: "transient" });
    // Behind a good answer it says nothing of what was done.
    expect(sort(faults, seen([request({ status: 201 })]))).toMatchObject({
      kind: "unknown",
      executed: "yes",
    });
    // Nor does it where nobody answered.
    expect(sort(faults, seen([lost]))).toMatchObject({ kind: "unknown", executed: "maybe", fields: [] });
  });

  test("an error after a good answer is no reason to send again, and a bug stays one", () => {
    const good = seen([request({ status: 201 })]);
    expect(sort(failed, good)).toMatchObject({ kind: "unknown", executed: "yes", cause: "transient" });
    expect(sort(new TypeError("x"), good)).toMatchObject({ kind: "unknown", executed: "yes", cause: "bug" });
    expect(sort(failed, seen([request({ status: 202 })]))).toMatchObject({ executed: "maybe" });
    expect(sort(failed, seen([request({ status: 207 })]))).toMatchObject({ executed: "partial" });
  });

  test("a read has no effect, whatever became of it", () => {
    for (const status of [null, 200, 503]) {
      const read = seen([request({ method: "GET", status })]);
      expect(sort(failed, read)).toMatchObject({ kind: "transient", executed: "no", owner: "system" });
    }
    expect(sort(answered(404), seen([request({ method: "GET", status: 404 })]))).toMatchObject({
      kind: "gone",
    });
  });

  test("a write that was sent on to another page may have taken effect, whatever came of that page", () => {
    for (const status of [302, 303]) {
      const followed = seen([request({ status }), request({ method: "GET", group: "page", status: 200 })]);
      const thrown = new SyntaxError("Unexpected token <");
      expect(sort(thrown, followed)).toMatchObject({ kind: "unknown", executed: "maybe" });
    }
    // Sent on with its method: it took effect there, if anywhere.
    const moved = seen([request({ status: 307 }), request({ group: "there", status: 422 })]);
    expect(sort(answered(422), moved)).toMatchObject({ kind: "rejected", executed: "no" });
  });

  test("our own stop is judged by it: a deadline that passed before anything happened is an outage", () => {
    const unsent = seen([request({ sent: "none" })]);
    expect(sort(failed, unsent, "deadline")).toMatchObject({ kind: "transient", executed: "no" });
    expect(sort(failed, unsent, "shutdown")).toMatchObject({ kind: "stopped", executed: "no" });
    expect(sort(failed, seen([lost]), "lease")).toMatchObject({ kind: "unknown", cause: "stopped" });
    expect(sort(failed, seen([request({ method: "GET" })]), "lease")).toMatchObject({ kind: "stopped" });
  });
});

describe("an attempt that began no request, where nothing may be sent in any other way", () => {
  const fallen = Object.assign(new Error("x"), { code: "ECONNRESET", syscall: "read" });

  test.each<[string, unknown, StopCause | null, string]>([
    ["a mistake of our own is a bug", new TypeError("x is undefined"), null, "bug"],
    ["so is a name that is not there", new ReferenceError("y is not defined"), null, "bug"],
    ["an error that says nothing is tried again", failed, null, "transient"],
    ["and so is a connection that broke, whoever's it was", fallen, null, "transient"],
    ["an answer that the code made up itself keeps its words", answered(422), null, "rejected"],
    ["our deadline is an outage", failed, "deadline", "transient"],
    ["our stop is a stop", failed, "shutdown", "stopped"],
  ])("sent nothing: %s", (_, thrown, stopped, kind) => {
    expect(sort(thrown, seen([]), stopped)).toMatchObject({ kind, executed: "no" });
  });

  test("says so", () => {
    const { confidence, sentence } = sort(new TypeError("x is undefined"), seen([]));
    expect(confidence).toBe("proved");
    expect(sentence).toBe("The step failed with TypeError: x is undefined; nothing had been sent.");
  });

  test.each(["no request was seen", "child process", "pending request"])(
    "proves nothing beside: %s",
    (spot) => {
      expect(sort(new TypeError("x"), seen([], { blindSpots: [spot] }))).toMatchObject({
        kind: "unknown",
        cause: "bug",
        executed: "maybe",
      });
    },
  );

  test("proves nothing where more was sent than was kept", () => {
    expect(sort(new TypeError("x"), seen([], { sentCount: 1 }))).toMatchObject({ executed: "maybe" });
  });
});

describe("an attempt that made several requests", () => {
  test.each([404, 409, 422])("is not settled by a %i, if an earlier one may have executed", (status) => {
    const evidence = seen([lost, request({ status })]);
    expect(sort(answered(status), evidence)).toMatchObject({ kind: "unknown", executed: "maybe" });
  });

  test("is settled where every earlier one was refused, never left, or only read", () => {
    const before = [
      request({ status: 401 }),
      request({ sent: "none" }),
      request({ method: "GET", status: 500 }),
    ];
    expect(sort(answered(422), seen([...before, request({ status: 422 })]))).toMatchObject({
      kind: "rejected",
      executed: "no",
    });
  });

  test("happened in part, if an earlier one at the same place took effect", () => {
    const evidence = seen([request({ status: 201, group: "other" }), request({ status: 422 })]);
    expect(sort(answered(422), evidence)).toMatchObject({
      kind: "unknown",
      executed: "partial",
      cause: "rejected",
    });
  });

  test("did not happen because somebody else gave it a token", () => {
    expect(sort(answered(422), seen([token, request({ status: 422 })]))).toMatchObject({ kind: "rejected" });
    const unsent = Object.assign(new Error("x"), { code: "ECONNREFUSED", syscall: "connect" });
    expect(sort(unsent, seen([token, request({ sent: "none" })]))).toMatchObject({ executed: "no" });
  });

  test("may have happened, if more was sent than was kept", () => {
    const evidence = seen([request({ status: 429 })], { sentCount: 40 });
    expect(sort(answered(429), evidence)).toMatchObject({
      kind: "unknown",
      executed: "maybe",
      cause: "throttled",
    });
  });
});

describe("where the meter is blind", () => {
  const blindSpots = ["http2"];

  test("nothing is proved by what it did not see", () => {
    expect(sort(failed, seen([request({ sent: "none" })], { blindSpots }))).toMatchObject({
      executed: "maybe",
    });
    expect(sort(failed, seen([request({ method: "GET" })], { blindSpots }))).toMatchObject({
      executed: "maybe",
    });
    expect(sort(answered(422), seen([lost], { blindSpots }))).toMatchObject({
      executed: "maybe",
      cause: "rejected",
    });
  });

  test("what it did see still counts", () => {
    expect(sort(failed, seen([request({ status: 422 })], { blindSpots }))).toMatchObject({
      kind: "rejected",
    });
    expect(sort(failed, seen([request({ status: 201 })], { blindSpots }))).toMatchObject({ executed: "yes" });
  });
});

test("the words of a database are not overruled by HTTP, but what HTTP did counts", () => {
  const deadlock = Object.assign(new Error("deadlock"), { code: "40P01", severity: "ERROR" });
  expect(sort(deadlock, seen([]))).toMatchObject({ kind: "transient", executed: "no" });
  expect(sort(deadlock, seen([request({ status: 201 })]))).toMatchObject({
    kind: "unknown",
    executed: "partial",
  });
});
