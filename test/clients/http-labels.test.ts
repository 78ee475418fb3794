import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { afterLostOne, BadServer, type Behavior } from "./bad-server.ts";
import { closedPort } from "./closed-port.ts";
import { ANSWERS } from "./labels/answers.ts";
import type { Answer } from "./labels/answer.ts";
import { CODES } from "./labels/codes.ts";
import { titleOf, type Label } from "./labels/label.ts";
import { NETWORK } from "./labels/network.ts";
import { STATUSES } from "./labels/statuses.ts";
import { misjudged } from "./labels/judge.ts";
import { PLAIN_CLIENTS } from "./plain-clients.ts";
import { PROVIDER_CLIENTS } from "./provider-clients.ts";

// Every error here is thrown by the real client, against a real server on loopback.

const clients = { ...PLAIN_CLIENTS, ...PROVIDER_CLIENTS };
/** How long an author waits for a server that stays silent, and for one that answers, in ms. */
const SHORT_MS = 150;
const LONG_MS = 10_000;

const server = new BadServer();
let closedUrl = "";

beforeAll(async () => {
  await server.start();
  closedUrl = `http://127.0.0.1:${await closedPort()}`;
});
afterAll(() => server.stop());

/** Sends through the label's client to a server that does what the label says; what of it is not sorted as labeled. */
async function wrongIn(
  { client, situation, method, shown, expected }: Label,
  url: string,
  behavior: Behavior,
): Promise<readonly string[]> {
  server.behave(behavior);
  const call = clients[client];
  if (call === undefined) throw new Error(`no client ${client}`);
  const thrown = await Promise.resolve()
    .then(() => call(url, method, situation === "executed, then silent" ? SHORT_MS : LONG_MS))
    .then(
      () => {
        throw new Error("the request went well");
      },
      (error: unknown) => error,
    );
  const seen = server.evidence(method);
  const evidence = shown === "unseen" ? null : shown === "wire" ? seen : afterLostOne(seen);
  const input = { destination: "erp", stopped: null, now: Date.now(), evidence, sorters: [] };
  return misjudged(thrown, input, expected);
}

const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  "executed, then closed": { kind: "close" },
  "executed, then reset": { kind: "reset" },
  "executed, then silent": { kind: "silent" },
  "answers 201 and cuts the body": { kind: "cut" },
  "answers what is no HTTP": { kind: "noHttp" },
};

function placeOf(situation: string): { readonly url: string; readonly behavior: Behavior } {
  const behavior = BEHAVIORS[situation];
  if (behavior !== undefined) return { url: server.url, behavior };
  const nothing: Behavior = { kind: "silent" };
  switch (situation) {
    case "port closed":
      return { url: closedUrl, behavior: nothing };
    case "name unknown":
      return { url: "http://no-such-host.invalid", behavior: nothing };
    case "certificate refused":
      return { url: server.tlsUrl, behavior: nothing };
    default:
      throw new Error(`no such situation: ${situation}`);
  }
}

describe("a connection that goes wrong", () => {
  test.each(NETWORK.map((label) => [titleOf(label), label] as const))("%s", async (_, label) => {
    const { url, behavior } = placeOf(label.situation);
    expect(await wrongIn(label, url, behavior)).toEqual([]);
  });
});

const HEADERS: Readonly<Record<string, Answer["headers"]>> = {
  "after 37 s": { "retry-after": "37" },
  "after 5 s": { "retry-after": "5" },
  "none remaining": { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "$+89" },
  "a page of a firewall": { "content-type": "text/html" },
  "scope too small": { "www-authenticate": 'Bearer error="insufficient_scope"' },
  "do not retry": { "x-should-retry": "false" },
};

function answerOf(situation: string): Answer {
  const [, status, what] = /^answers (\d{3})(?:, (.+))?$/.exec(situation) ?? [];
  const headers = what === undefined ? {} : HEADERS[what];
  if (status === undefined || headers === undefined) throw new Error(`no such situation: ${situation}`);
  return { status: Number(status), headers };
}

describe("a status", () => {
  test.each(STATUSES.map((label) => [titleOf(label), label] as const))("%s", async (_, label) => {
    const behavior: Behavior = { kind: "answer", answer: answerOf(label.situation) };
    expect(await wrongIn(label, server.url, behavior)).toEqual([]);
  });
});

describe("what a provider says", () => {
  const rows = [...ANSWERS, ...CODES].flatMap(({ answer, labels }) =>
    labels.map((label) => ({ answer, label })),
  );
  test.each(rows.map(({ answer, label }) => [titleOf(label), answer, label] as const))(
    "%s",
    async (_, answer, label) => {
      expect(await wrongIn(label, server.url, { kind: "answer", answer })).toEqual([]);
    },
  );
});
