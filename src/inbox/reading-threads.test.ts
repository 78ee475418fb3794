import { afterEach, describe, expect, test } from "vitest";
import { headersOf } from "./arrival.ts";
import { readContent, withoutBulk } from "./content.ts";
import { PRESETS } from "./presets.ts";
import { ReadingThreads, type ReadingJob } from "./reading-threads.ts";

const jobOf = (text: string, preset: ReadingJob["preset"] = PRESETS.hmac): ReadingJob => ({
  preset,
  arrival: {
    method: "POST",
    url: null,
    headers: headersOf([
      ["x-event-id", "e1"],
      ["x-event-type", "order.paid"],
    ]),
    body: Buffer.from(text),
    receivedAt: 0,
  },
});

describe("threads that read large bodies", () => {
  let threads = new ReadingThreads();
  afterEach(async () => {
    await threads.close();
    threads = new ReadingThreads();
  });

  test("read what is read without them, one event or many", async () => {
    const text = JSON.stringify({ order: "o1", lines: Array.from({ length: 500 }, (_, line) => ({ line })) });
    const one = jobOf(text);
    expect(await threads.read(one)).toEqual(await readContent(one.arrival, one.preset));
    expect(threads.running).toBe(1);
    const events = Array.from({ length: 20 }, (_, eventId) => ({
      eventId,
      portalId: 1,
      subscriptionType: "a",
    }));
    const many = jobOf(JSON.stringify(events), PRESETS.hubspot);
    const content = await threads.read(many);
    expect(content).toEqual(await readContent(many.arrival, many.preset));
    expect(content).toMatchObject({ events: { events: { length: 20 } } });
  });

  test("hand on the beginning of a body with very many values, proofs and challenges included", async () => {
    const text = `{"type":"url_verification","list":[${"1,".repeat(20_000)}1],"deep":{"a":{"b":{"c":{"d":1}}}}}`;
    const content = await threads.read(jobOf(text));
    expect(content).toMatchObject({
      kind: "content",
      value: { type: "url_verification", list: [1, 1, 1, 1, 1, 1], deep: { a: { b: { c: {} } } } },
    });
    expect(withoutBulk({ kind: "unreadable", why: "so" })).toEqual({ kind: "unreadable", why: "so" });
  });

  test("say why a body cannot be read, and go on with the next", async () => {
    expect(await threads.read(jobOf('{"a":1,"a":2}'))).toMatchObject({ kind: "unreadable" });
    expect(await threads.read(jobOf("{}"))).toMatchObject({ kind: "content" });
  });

  test("are two at most, and ask the sender to come again when too many bodies wait", async () => {
    const wanted = Array.from({ length: 60 }, () => threads.read(jobOf("[1]")));
    expect(threads.running).toBe(2);
    const more = await Promise.allSettled(Array.from({ length: 20 }, () => threads.read(jobOf("[1]"))));
    const refused = more.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { code: "DATABASE_UNAVAILABLE" } });
    for (const content of await Promise.all(wanted)) expect(content).toMatchObject({ kind: "content" });
  });

  test("lose nothing when they are closed meanwhile: what waits is read without them", async () => {
    const wanted = Array.from({ length: 10 }, () => threads.read(jobOf("[1]")));
    await threads.close();
    expect(threads.running).toBe(0);
    for (const content of await Promise.all(wanted)) expect(content).toMatchObject({ kind: "content" });
    expect(await threads.read(jobOf("[1]"))).toMatchObject({ kind: "content" });
    await threads.close();
  });
});
