import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { snapshotOf } from "./snapshot.ts";
import { sortFailure } from "./sort.ts";

const input = { destination: "erp", stopped: null, now: 0, evidence: null, sorters: [] } as const;

function rawOf(thrown: unknown): Json {
  return sortFailure(thrown, input).raw;
}

/** What PostgreSQL's jsonb refuses is written as an escape by `JSON.stringify`. */
function isStorable(value: unknown): boolean {
  return !/\\u(0000|d[89a-f][0-9a-f]{2})/i.test(JSON.stringify(value));
}

function thrower(): never {
  throw new Error("a getter that throws");
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** A body of some 30,000 characters, with its code at the end. */
function manyFaults(): object {
  const errors = Array.from({ length: 300 }, (_, index) => ({
    field: `lines.${index}.price`,
    message: "has changed since. ".repeat(3),
  }));
  return { errors, code: "version_conflict" };
}

const selfCaused = new Error("round");
selfCaused.cause = selfCaused;
const endlessBody: Record<string, unknown> = {};
endlessBody["self"] = endlessBody;

const hostile: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a text", "boom"],
  ["a number", 42],
  ["a BigInt", 1n],
  ["a symbol", Symbol("s")],
  ["a function", () => undefined],
  ["an object without a prototype", Object.create(null)],
  ["getters that throw", Object.defineProperties({}, { message: { get: thrower }, cause: { get: thrower } })],
  ["a proxy that throws for everything", new Proxy({}, { get: thrower, has: thrower, ownKeys: thrower })],
  ["a revoked proxy", revokedProxy()],
  ["a revoked proxy as cause", Object.assign(new Error("x"), { cause: revokedProxy() })],
  ["a revoked proxy as list of errors", Object.assign(new Error("x"), { errors: revokedProxy() })],
  ["a revoked proxy as answer", { response: revokedProxy() }],
  ["revoked headers", { status: 500, headers: revokedProxy() }],
  ["headers that throw", { status: 500, headers: { forEach: thrower } }],
  ["a cycle of causes", selfCaused],
  ["a body in a cycle", { status: 500, body: endlessBody }],
  ["a body that throws", { status: 500, body: { toJSON: thrower } }],
  ["a body that is no JSON", { status: 500, body: { n: 1n } }],
  ["a code that is an object", Object.assign(new Error("x"), { code: { nested: true } })],
  ["a message that is no text", Object.assign(new Error("x"), { message: 7 })],
  [
    "NUL and half pairs everywhere",
    {
      name: "N\0",
      message: "\uD83C\0",
      code: "C\0",
      syscall: "\uDFD4",
      stack: "S\0",
      status: 422,
      headers: { server: "\0" },
      body: JSON.stringify({ "k\0": "\uD83C", errors: [{ field: "\0", message: "\uD83C" }], detail: "\0." }),
    },
  ],
];

describe("a thrown value", () => {
  test.each(hostile)("is read without throwing, and what is kept can be stored: %s", (_, thrown) => {
    const failure = sortFailure(thrown, input);
    expect(isStorable(failure)).toBe(true);
    expect(failure.sentence.length).toBeLessThan(1_000);
  });

  test("is read with what caused it, and the errors that it stands for", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
    const thrown = new Error("outer", { cause: new AggregateError([refused, refused], "both") });
    expect(snapshotOf(thrown).chain).toMatchObject([
      { message: "outer", isAggregate: false },
      { message: "both", isAggregate: true },
      { message: "connect", code: "ECONNREFUSED", syscall: "connect" },
    ]);
  });

  test("is read eight errors deep at most", () => {
    let thrown = new Error("the root");
    for (let depth = 0; depth < 1_000; depth += 1) thrown = new Error("outer", { cause: thrown });
    expect(snapshotOf(thrown).chain).toHaveLength(8);
  });

  test("is kept within bounds, however long its texts and lists are", () => {
    const long = "x".repeat(1_000_000);
    const thrown = Object.assign(new Error(long), {
      status: 422,
      headers: { server: long, "retry-after": "5" },
      body: { detail: "d", errors: Array.from({ length: 60 }, (_, index) => ({ field: `f${index}` })) },
    });
    expect(JSON.stringify(rawOf(thrown)).length).toBeLessThan(12_000);
    expect(sortFailure(thrown, input).fields).toHaveLength(20);
    expect(rawOf(Object.assign(new Error("x"), { status: 500, body: long }))).toMatchObject({
      response: { body: `${"x".repeat(500)}…` },
    });
  });

  test.each<[string, unknown]>([
    ["written", JSON.stringify(manyFaults())],
    ["already read", manyFaults()],
  ])("is known by its code also where its body is long, and the fields behind it are told: %s", (_, body) => {
    const failure = sortFailure(Object.assign(new Error("x"), { status: 409, body }), input);
    expect(failure).toMatchObject({ kind: "precondition", rule: "http.version_conflict" });
    expect(failure.fields[0]).toEqual({ path: "lines.0.price", message: "has changed since. ".repeat(3) });
    expect(failure.fields).toHaveLength(20);
    expect(JSON.stringify(failure.raw).length).toBeLessThan(16_000);
  });

  test("is known by its code also where its body is round, or holds what JSON has no word for", () => {
    const body: Record<string, unknown> = { code: "version_conflict", at: new Date(0), total: 10n };
    body["self"] = body;
    Object.defineProperty(body, "lazy", { enumerable: true, get: thrower });
    const failure = sortFailure(Object.assign(new Error("x"), { status: 409, body }), input);
    expect(failure).toMatchObject({
      kind: "precondition",
      raw: { response: { body: { code: "version_conflict", at: "1970-01-01T00:00:00.000Z", total: "10" } } },
    });
  });

  test("is read no further than what is kept, however much it holds", () => {
    let read = 0;
    const page = (depth: number): object =>
      new Proxy(Array.from({ length: 1_000 }), {
        get: (list, name): unknown => {
          read += 1;
          return typeof name === "string" && /^\d+$/.test(name) && depth > 0
            ? page(depth - 1)
            : Reflect.get(list, name);
        },
      });
    sortFailure(Object.assign(new Error("x"), { status: 422, body: page(20) }), input);
    expect(read).toBeLessThan(200_000);
  });

  test("keeps no header but the harmless ones", () => {
    const headers = {
      authorization: "Bearer s3cret",
      "set-cookie": "s3cret",
      "x-api-key": "s3cret",
      date: "now",
    };
    const raw = rawOf(Object.assign(new Error("x"), { status: 500, headers }));
    expect(JSON.stringify(raw)).not.toContain("s3cret");
    expect(raw).toMatchObject({ response: { headers: { date: "now" } } });
  });

  test("that carries a whole response is an answer, also a good one whose body was cut", () => {
    const cut = Object.assign(new Error("cut"), { response: { status: 201 } });
    expect(sortFailure(cut, input)).toMatchObject({ kind: "unknown", executed: "yes", rule: "http.201" });
    // A good status that stands beside no response is any number.
    expect(snapshotOf(Object.assign(new Error("x"), { status: 201 })).found).toBeNull();
  });
});
