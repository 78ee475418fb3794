import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CheckReply } from "../../src/define/answers.ts";
import {
  fetchOk,
  findByReference,
  keyedFetch,
  readAnswer,
  readEtag,
  writeIfMatch,
  type FindByReference,
} from "../../src/destinations.ts";
import { startShelf, type Shelf } from "./shelf.ts";

let shelf: Shelf;
beforeEach(async () => {
  shelf = await startShelf();
});
afterEach(() => shelf.stop());

const context = { idempotencyKey: "K.pay.1", version: '"v0"', signal: new AbortController().signal };

describe("a request of a step", () => {
  test("carries its JSON and what else it is given", async () => {
    const response = await fetchOk(context, new URL(`${shelf.url}/orders`), {
      method: "POST",
      headers: { "idempotency-key": "K", accept: "text/plain" },
      json: { amount: 12 },
    });
    expect(await readAnswer(response)).toEqual({ path: "/orders", body: { amount: 12 } });
    expect(shelf.requests[0]).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/plain" },
      body: '{"amount":12}',
    });
  });

  test("keeps the content type that its author gives it", async () => {
    const headers = { "content-type": "application/merge-patch+json", "idempotency-key": "K" };
    await fetchOk(context, `${shelf.url}/orders`, { method: "POST", headers, json: {} });
    expect(shelf.requests[0]?.headers["content-type"]).toBe("application/merge-patch+json");
  });

  test("goes through the context's own fetch where it has one", async () => {
    const seen: unknown[] = [];
    const own: typeof fetch = (url, init) => {
      seen.push(url);
      return fetch(url, init);
    };
    await fetchOk({ ...context, fetch: own }, `${shelf.url}/accounts/1`);
    expect(seen).toEqual([`${shelf.url}/accounts/1`]);
  });

  test("is stopped by the step's signal, and by its author's", async () => {
    const stopped = AbortSignal.abort(new Error("the claim is lost"));
    await expect(fetchOk({ signal: stopped }, shelf.url)).rejects.toThrow("the claim is lost");
    const own = AbortSignal.abort(new Error("too slow"));
    await expect(fetchOk(context, shelf.url, { signal: own })).rejects.toThrow("too slow");
    await expect(fetchOk({ signal: stopped }, shelf.url, { signal: context.signal })).rejects.toThrow("lost");
    expect(shelf.requests).toEqual([]);
  });

  test("throws what an answer outside 2xx says, and follows no redirect", async () => {
    shelf.answer("POST /orders", 422, {}, '{"detail":"too big"}');
    await expect(fetchOk(context, `${shelf.url}/orders`, { method: "POST" })).rejects.toMatchObject({
      name: "ResponseError",
      status: 422,
      body: '{"detail":"too big"}',
    });
    shelf.answer("POST /moved", 307, { location: "/orders" });
    await expect(fetchOk(context, `${shelf.url}/moved`, { method: "POST" })).rejects.toMatchObject({
      name: "ResponseError",
      status: 307,
    });
    expect(shelf.written).toEqual([]);
  });
});

async function answered(body: string): Promise<unknown> {
  shelf.answer("GET /said", 200, {}, body);
  return readAnswer(await fetchOk(context, `${shelf.url}/said`));
}

describe("what an answer says", () => {
  test("is its JSON, else its text, else null: the effect has happened by then", async () => {
    expect(await answered('{"id":7}')).toEqual({ id: 7 });
    expect(await answered("<ok/>")).toBe("<ok/>");
    expect(await answered("")).toBeNull();
    expect(await answered(`${"[".repeat(100)}${"]".repeat(100)}`)).toMatch(/^\[{100}/);
  });

  test("is read up to a bound, and what is cut there is too long to be a result", async () => {
    const read = await answered("ü".repeat(2_000_000));
    expect(typeof read === "string" && read.length).toBe(524_288);
  });
});

describe("a request under the step's key", () => {
  test("is a POST with the same key at every attempt, so that the destination knows a repeat", async () => {
    await keyedFetch(context, `${shelf.url}/orders`, { json: { amount: 12 } });
    await keyedFetch(context, `${shelf.url}/orders`, { json: { amount: 12 } });
    expect(shelf.requests.map(({ method, headers }) => [method, headers["idempotency-key"]])).toEqual([
      ["POST", "K.pay.1"],
      ["POST", "K.pay.1"],
    ]);
    expect(shelf.written).toHaveLength(1);
  });

  test("carries the key in the header that the destination reads", async () => {
    await keyedFetch(context, `${shelf.url}/orders`, {}, { header: "X-Request-Id" });
    expect(shelf.requests[0]?.headers).toMatchObject({ "x-request-id": "K.pay.1" });
    expect(shelf.requests[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test("is not sent with another key, whatever the author writes", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    await expect(keyedFetch(context, `${shelf.url}/orders`, { headers })).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
      message: expect.stringContaining("leave it out") as unknown,
    });
    expect(shelf.requests).toEqual([]);
  });
});

function account(): string {
  return `${shelf.url}/accounts/7?token=secret`;
}

describe("a conditional write", () => {
  test("is made while the thing is as it was when its version was read, and refused afterwards", async () => {
    const version = await readEtag(context, account());
    expect(version).toBe('"v0"');
    await writeIfMatch({ ...context, version }, account(), { json: { iban: "new" } });
    await expect(writeIfMatch({ ...context, version }, account(), { json: {} })).rejects.toMatchObject({
      status: 412,
    });
    expect(shelf.written).toHaveLength(1);
    expect(await readEtag(context, account())).toBe('"v1"');
  });

  test("asks for the tag of the thing itself, past caches and compression", async () => {
    await readEtag(context, account());
    expect(shelf.requests[0]?.headers).toMatchObject({
      "accept-encoding": "identity",
      "cache-control": "no-cache",
    });
  });

  test.each([
    ["no ETag", {}],
    ['the ETag W/"v1"', { etag: 'W/"v1"' }],
    ["the ETag v1", { etag: "v1" }],
    ['the ETag "a"b"', { etag: '"a"b"' }],
  ])("is not built on %s", async (said, headers: Record<string, string>) => {
    shelf.answer("GET /accounts/7?token=secret", 200, headers, "{}");
    const read = readEtag(context, account());
    await expect(read).rejects.toMatchObject({
      code: "NO_STRONG_ETAG",
      message: expect.stringContaining(said) as unknown,
    });
    await expect(read).rejects.not.toMatchObject({ message: expect.stringContaining("secret") as unknown });
  });

  test("is not built on the tag of an answer that is no yes", async () => {
    shelf.answer("GET /accounts/7?token=secret", 404, { etag: '"v1"' });
    await expect(readEtag(context, account())).rejects.toMatchObject({ status: 404 });
  });

  test("is not sent without a version", async () => {
    await expect(writeIfMatch({ ...context, version: "" }, account())).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
    });
    expect(shelf.requests).toEqual([]);
  });
});

describe("a check that finds a thing by our reference", () => {
  interface Invoice {
    readonly id: string;
    readonly amount?: unknown;
    readonly fingerprint?: string | null;
  }
  const asked = { request: { amount: 12 } };

  async function check(
    found: Invoice | readonly Invoice[] | null | undefined | Error,
    how: Pick<FindByReference<typeof asked, Invoice, string>, "fingerprint" | "same" | "evidence">,
  ): Promise<CheckReply> {
    const find = (): Invoice | readonly Invoice[] | null | undefined => {
      if (found instanceof Error) throw found;
      return found;
    };
    // One of the two is given by every test.
    const options = { find, result: ({ id }: Invoice) => id, ...how } as FindByReference<
      typeof asked,
      Invoice,
      string
    >;
    return findByReference(options)(asked);
  }

  const byFingerprint = { fingerprint: (one: Invoice) => one.fingerprint };
  const byAmount = {
    same: (one: Invoice, { request }: typeof asked) => ({
      amount: [one.amount, request.amount] as const,
      currency: ["EUR", "EUR"] as const,
    }),
  };

  test("hands the fingerprint on that the destination kept, for the engine to compare", async () => {
    const invoice = { id: "I-1", fingerprint: "f1" };
    expect(await check(invoice, byFingerprint)).toEqual({
      kind: "happened",
      result: "I-1",
      evidence: invoice,
      fingerprint: "f1",
    });
  });

  test("takes nothing for ours that carries no fingerprint, unless its fields tell", async () => {
    const invoice = { id: "I-1", amount: 12, fingerprint: null };
    expect(await check(invoice, byFingerprint)).toMatchObject({
      kind: "differs",
      why: expect.stringContaining("carries no fingerprint") as unknown,
    });
    expect(await check(invoice, { ...byFingerprint, ...byAmount })).toMatchObject({ kind: "happened" });
  });

  test("names every field that is not as it was wanted", async () => {
    expect(await check({ id: "I-1", amount: 12 }, byAmount)).toMatchObject({
      kind: "happened",
      result: "I-1",
    });
    expect(await check({ id: "I-1", amount: "12.00" }, byAmount)).toMatchObject({
      kind: "differs",
      why: 'amount is "12.00", and 12 was wanted',
      evidence: { id: "I-1" },
    });
    const both = { ...byFingerprint, ...byAmount };
    expect(await check({ id: "I-1", amount: 13, fingerprint: "f1" }, both)).toMatchObject({
      kind: "differs",
    });
  });

  test("takes nothing unreadable for the same, and shows no more of a value than fits a line", async () => {
    const odd = { same: () => ({ size: [1n, 1n] as const, note: ["x".repeat(5_000), ""] as const }) };
    const reply = await check({ id: "I-1" }, odd);
    expect(reply).toMatchObject({
      kind: "differs",
      why: expect.stringMatching(
        /^size is unreadable, and unreadable was wanted; note is "x{79}…, and ""/,
      ) as unknown,
    });
  });

  test("compares nothing where its author says that the reference alone tells", async () => {
    expect(await check({ id: "I-1" }, { same: () => ({}) })).toMatchObject({ kind: "happened" });
  });

  test("keeps as evidence what its author chooses", async () => {
    const chosen = { ...byFingerprint, evidence: ({ id }: Invoice) => ({ id }) };
    expect(await check({ id: "I-1", amount: 12, fingerprint: "f1" }, chosen)).toMatchObject({
      evidence: { id: "I-1" },
    });
  });

  test.each([
    ["null", null],
    ["nothing", undefined],
    ["an empty list", []],
    ["the status 404 of any client", Object.assign(new Error("x"), { response: { status: 404 } })],
  ])("answers that it is not there for %s", async (_, found) => {
    expect(await check(found, byFingerprint)).toEqual({ kind: "didNotHappen" });
  });

  test("cannot tell where the look-up fails in any other way", async () => {
    const failed = Object.assign(new Error("busy"), { status: 503 });
    expect(await check(failed, byFingerprint)).toEqual({
      kind: "cannotTell",
      why: "the look-up failed: Error: busy",
    });
  });

  test("leaves it to people where several things carry the reference", async () => {
    const twice = [
      { id: "I-1", fingerprint: "f1" },
      { id: "I-2", fingerprint: "f1" },
    ];
    expect(await check(twice, byFingerprint)).toEqual({
      kind: "differs",
      why: "2 things carry our reference",
      evidence: twice,
    });
    expect(await check(twice.slice(0, 1), byFingerprint)).toMatchObject({ kind: "happened", result: "I-1" });
  });
});
