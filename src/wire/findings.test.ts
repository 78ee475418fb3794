import { describe, expect, test } from "vitest";
import type { WireFindingCode } from "../core/wire-evidence.ts";
import type { MeteredEvidence, MeteredRequest } from "./evidence.ts";
import { findingsOf, findingsOfAll, foreignKeyOf, sayFinding, summaryOf } from "./findings.ts";

const bounds = { maxAttempts: 5, maxRequests: 8 };

function request(over: Partial<MeteredRequest> = {}): MeteredRequest {
  return {
    method: "POST",
    origin: "https://api.example",
    group: "g",
    keyHash: null,
    startedAt: 0,
    sent: "full",
    status: 503,
    headers: {},
    isAnswerComplete: true,
    isRepeat: false,
    isLate: false,
    client: null,
    keyKind: "none",
    clientTry: null,
    ...over,
  };
}

function evidence(requests: readonly MeteredRequest[], over: Partial<MeteredEvidence> = {}): MeteredEvidence {
  return {
    requests,
    sentCount: requests.filter(({ sent }) => sent !== "none").length,
    unsentCount: 0,
    repeatCount: requests.filter(({ isRepeat, sent }) => isRepeat && sent !== "none").length,
    lateCount: requests.filter(({ isLate }) => isLate).length,
    unseenClient: null,
    blindSpots: [],
    ...over,
  };
}

const codes = (one: MeteredEvidence, over: Partial<typeof bounds> = {}): readonly WireFindingCode[] =>
  findingsOf(one, { ...bounds, ...over }, []).map(({ code }) => code);

const own = { keyKind: "own", keyHash: "own" } as const;
const auto = (keyHash: string) => ({ keyKind: "automatic", keyHash, client: "Stripe" }) as const;
const other = (keyHash: string) => ({ keyKind: "other", keyHash }) as const;

const twice = (over: Partial<MeteredRequest>): MeteredEvidence =>
  evidence([request(over), request({ ...over, isRepeat: true })]);

describe("an attempt of one request", () => {
  test("has no findings, however it ended", () => {
    expect(codes(evidence([request()]))).toEqual([]);
    expect(codes(evidence([request({ status: null })]))).toEqual([]);
    expect(codes(evidence([request({ sent: "none" })]))).toEqual([]);
    expect(codes(evidence([request(own)]))).toEqual([]);
  });
});

describe("a request that its client sent again", () => {
  test("is a hidden retry, and an unsafe one where a write carried no key", () => {
    expect(codes(twice({}), { maxAttempts: 1 })).toEqual(["HIDDEN_RETRY", "UNSAFE_HIDDEN_RETRY"]);
    expect(codes(twice(own), { maxAttempts: 1 })).toEqual(["HIDDEN_RETRY"]);
    expect(codes(twice({ method: "GET" }), { maxAttempts: 1 })).toEqual(["HIDDEN_RETRY"]);
    expect(codes(twice({ method: "PUT" }), { maxAttempts: 1 })).toEqual(["HIDDEN_RETRY"]);
  });

  test("is none where it did not leave", () => {
    expect(codes(evidence([request(), request({ isRepeat: true, sent: "none" })]))).toEqual([]);
  });

  test("multiplies with our attempts where that is more than the step may send", () => {
    expect(codes(twice(own))).toEqual(["HIDDEN_RETRY", "MULTIPLIED"]);
    expect(codes(twice(own), { maxAttempts: 4 })).toEqual(["HIDDEN_RETRY"]);
  });

  test("names its client", () => {
    const [first] = findingsOf(twice({ client: "axios" }), bounds, []);
    expect(first).toEqual({ code: "HIDDEN_RETRY", client: "axios" });
  });
});

describe("a key that is not the step's", () => {
  test("is made for every call where the client is known for that", () => {
    expect(codes(evidence([request(auto("a"))]))).toEqual(["AUTO_KEY_PER_CALL"]);
  });

  test("is so too where the next attempt carries another one to the same place", () => {
    const first = evidence([request(other("a"))]);
    const seconds = [evidence([request(other("b"))]), evidence([request(other("a"))])] as const;
    expect(codes(first)).toEqual([]);
    expect(findingsOfAll([first, seconds[0]], bounds).map(({ code }) => code)).toEqual(["AUTO_KEY_PER_CALL"]);
    expect(findingsOfAll([first, seconds[1]], bounds)).toEqual([]);
    const elsewhere = evidence([request({ ...other("b"), group: "h" })]);
    expect(findingsOfAll([first, elsewhere], bounds)).toEqual([]);
  });

  test("is kept by its hash, the last one of a write that left", () => {
    expect(foreignKeyOf(evidence([request(other("a")), request(auto("b")), request(own)]))).toEqual({
      group: "g",
      keyHash: "b",
    });
    expect(foreignKeyOf(evidence([request({ ...other("a"), sent: "none" })]))).toBeNull();
    expect(foreignKeyOf(evidence([request({ ...other("a"), method: "GET" })]))).toBeNull();
    expect(foreignKeyOf(evidence([request(own), request()]))).toBeNull();
  });
});

describe("what is named beside", () => {
  test("a late request, and places that could not be seen into", () => {
    expect(codes(evidence([request({ isLate: true })]))).toEqual(["LATE_REQUEST"]);
    expect(codes(evidence([], { lateCount: 1 }))).toEqual(["LATE_REQUEST"]);
    expect(codes(evidence([], { blindSpots: ["child process", "no request was seen"] }))).toEqual(["BLIND"]);
  });

  test("a client that repeats unseen, with the setting that turns it off", () => {
    const unseen = evidence([], { blindSpots: ["unmetered protocol"], unseenClient: "ioredis" });
    const [found] = findingsOf(unseen, bounds, []);
    expect(found).toEqual({ code: "BLIND", client: "ioredis" });
    expect(found === undefined ? "" : sayFinding(found)).toMatch(
      /^ioredis sends again .*: autoResendUnfulfilledCommands: false/,
    );
  });

  test("not that nothing was seen: the step may send by other means than HTTP", () => {
    expect(codes(evidence([], { blindSpots: ["no request was seen"] }))).toEqual([]);
  });
});

describe("what is kept of an attempt", () => {
  test("is how much it sent, what of it was repeated, and what that means", () => {
    const seen = evidence([request(auto("a")), request({ ...auto("a"), isRepeat: true })], {
      blindSpots: ["http2"],
    });
    expect(summaryOf(seen, bounds, [])).toEqual({
      requests: 2,
      repeats: 1,
      isAtLeast: true,
      findings: [
        { code: "HIDDEN_RETRY", client: "Stripe" },
        { code: "AUTO_KEY_PER_CALL", client: "Stripe" },
        { code: "MULTIPLIED", client: "Stripe" },
        { code: "BLIND", client: null },
      ],
      foreignKey: { group: "g", keyHash: "a" },
    });
    expect(summaryOf(evidence([request(own)]), bounds, [])).toEqual({
      requests: 1,
      repeats: 0,
      isAtLeast: false,
      findings: [],
    });
  });

  test.each<[WireFindingCode, RegExp]>([
    ["HIDDEN_RETRY", /^OpenAI sends .* maxRetries: 0\.$/],
    ["UNSAFE_HIDDEN_RETRY", /^OpenAI repeats .* maxRetries: 0\.$/],
    ["AUTO_KEY_PER_CALL", /^OpenAI makes .* the step's idempotencyKey\.$/],
    ["MULTIPLIED", /^OpenAI repeats requests.* maxRetries: 0\.$/],
    ["LATE_REQUEST", /await every request inside run/],
    ["BLIND", /unseen by the meter.* maxRetries: 0\.$/],
  ])("%s is said in a sentence with what to do", (code, sentence) => {
    expect(sayFinding({ code, client: "OpenAI" })).toMatch(sentence);
    expect(sayFinding({ code, client: null })).not.toContain("null");
    expect(sayFinding({ code: "BLIND", client: null })).toMatch(/cannot see into/);
  });
});
