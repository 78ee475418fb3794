import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { foreignKeyOf, findingsOf, sayFinding } from "../../../src/wire/findings.ts";
import { WireMeter } from "../../../src/wire/meter.ts";
import { Attempts } from "../../../src/wire/wire.fixture.ts";
import { BadServer } from "../../clients/bad-server.ts";
import { listening } from "../../clients/listening.ts";
import { createCustomer, createIssue, increment } from "../../clients/retrying-clients.ts";
import { sort } from "./sorting.ts";

const server = new BadServer();
const meter = new WireMeter();
const attempts = new Attempts();
const bounds = { maxAttempts: 5, maxRequests: 8 };
let endMetering: () => void = () => undefined;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  endMetering = meter.start();
});
afterEach(() => endMetering());

describe("hidden retries", () => {
  test("3: a write under another key than the unknown one before it is refused before it is sent", async () => {
    server.behave({ kind: "reset" });
    const first = await meter.watch(attempts.next(), ({ fetch }) => createCustomer(server.url, fetch));
    expect(first.result.status).toBe("rejected");
    expect(sort("reason" in first.result ? first.result.reason : null, first.evidence)).toMatchObject({
      kind: "unknown",
      executed: "maybe",
    });
    expect(findingsOf(first.evidence, bounds, []).map(({ code }) => code)).toContain("AUTO_KEY_PER_CALL");
    const key = foreignKeyOf(first.evidence);
    expect(key).not.toBeNull();
    server.behave({ kind: "reset" });
    const earlierKeys = key === null ? [] : [key];
    const second = await meter.watch(attempts.next({ earlierKeys }), ({ fetch }) =>
      createCustomer(server.url, fetch),
    );
    expect(second.result.status).toBe("rejected");
    expect(server.reachedCount).toBe(0);
  });

  test("9: Octokit sends a write without a key four times by itself, which is found and named", async () => {
    server.behave({ kind: "reset" });
    const { result, evidence } = await meter.watch(attempts.next(), ({ fetch }) =>
      createIssue(server.url, fetch),
    );
    expect(result).toMatchObject({ status: "rejected", reason: { name: "HttpError", status: 500 } });
    expect(server.reachedCount).toBe(4);
    expect(evidence).toMatchObject({ sentCount: 4, repeatCount: 3 });
    expect(findingsOf(evidence, bounds, [])).toContainEqual({
      code: "UNSAFE_HIDDEN_RETRY",
      client: "Octokit",
    });
    expect(sort("reason" in result ? result.reason : null, evidence)).toMatchObject({
      kind: "unknown",
      executed: "maybe",
    });
  });

  test("13: what ioredis sends again is not seen, which is said with the setting that turns it off", async () => {
    let executed = 0;
    const redis = await listening((socket) => {
      socket.on("data", (chunk) => {
        for (const command of chunk
          .toString()
          .split(/^\*\d+\r\n/m)
          .slice(1)) {
          if (!/incr/i.test(command)) socket.write("+OK\r\n");
          else if ((executed += 1) === 1) socket.destroy();
          else socket.write(`:${executed}\r\n`);
        }
      });
    });
    const { result, evidence } = await meter.watch(attempts.next(), () => increment(redis.port));
    await redis.stop();
    expect(result).toEqual({ status: "fulfilled", value: 2 });
    expect(executed).toBe(2);
    // The step went well: whether it did so twice is for people to know, and for nobody to prove.
    const found = findingsOf(evidence, bounds, []);
    expect(found).toEqual([{ code: "BLIND", client: "ioredis" }]);
    expect(found.map(sayFinding).join()).toContain("autoResendUnfulfilledCommands: false");
  });

  test("17: three layers of retries multiply to 45 requests, and a bound transport ends that at its bound", async () => {
    server.behave({ kind: "answer", answer: { status: 429 } });
    const layered = async (fetch: typeof globalThis.fetch): Promise<void> => {
      const once = async (): Promise<void> => {
        const { status } = await fetch(server.url, { method: "POST", body: "{}" });
        if (status === 429) throw new Error("slow down");
      };
      await times(3, () => times(3, () => times(5, once)));
    };
    const free = await meter.watch(attempts.next(), () => layered(globalThis.fetch));
    expect(server.reachedCount).toBe(45);
    expect(free.evidence).toMatchObject({ sentCount: 45, repeatCount: 44 });
    expect(findingsOf(free.evidence, bounds, []).map(({ code }) => code)).toContain("MULTIPLIED");
    server.behave({ kind: "answer", answer: { status: 429 } });
    await meter.watch(attempts.next({ requestsMax: 8 }), ({ fetch }) => layered(fetch));
    expect(server.reachedCount).toBe(8);
  });
});

/** A layer that tries again at once. */
async function times(count: number, act: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await act();
    } catch (error) {
      if (tried === count) throw error;
    }
  }
}
