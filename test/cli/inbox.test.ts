import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { printedSpans, setUpOfTheGuide, type PrintedSpan } from "../telemetry/printed-spans.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, startCommand, type Ended, type RunningCommand } from "./program.ts";

const config = ["--config", "inbox.config.mjs"];
const waiting = { timeout: 60_000, interval: 100 };
/** How long the server and the worker may last, in ms: for all tests here, on a slow machine too. */
const LASTS_MS = 300_000;

const Listed = z.object({
  events: z.array(
    z.object({
      event: z.object({ eventId: z.string(), eventType: z.string(), sightings: z.number() }),
      work: z.array(z.object({ consumer: z.string(), state: z.string() })),
    }),
  ),
});

describe("foothold inbox, beside a server and a worker that run", () => {
  let database: TestDatabase;
  let server: RunningCommand;
  let worker: RunningCommand;
  let url = "";

  const run = (...words: readonly string[]): Promise<Ended> =>
    runCommand([...words, ...config], { env: { FOOTHOLD_DATABASE_URL: database.url } });
  const start = (...words: readonly string[]): RunningCommand =>
    startCommand([...words, ...config], {
      env: { FOOTHOLD_DATABASE_URL: database.url, NODE_OPTIONS: `--import ${setUpOfTheGuide()}` },
      lastsMs: LASTS_MS,
    });
  const printed = (): readonly PrintedSpan[] => printedSpans(server.printed() + worker.printed());
  // `send` needs no database: it posts to the server that it is told.
  const send = (type: string, id: string, body: object): Promise<Ended> =>
    run("inbox", "send", "shop", "--url", url, "--type", type, "--id", id, "--body", JSON.stringify(body));
  const list = async (...words: readonly string[]): Promise<z.infer<typeof Listed>["events"]> => {
    const { stdout, stderr } = await run("inbox", "list", "--json", ...words);
    if (stderr !== "") throw new Error(stderr);
    return Listed.parse(JSON.parse(stdout)).events;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    const migrated = await run("migrate");
    if (migrated.code !== 0) throw new Error(migrated.stderr);
    server = start("serve", "--port", "0");
    worker = start("worker", "--lease", "3s");
    // The server says where it receives.
    [, url = ""] = await server.waitFor(/source +(http:\S+\/inbox\/shop)\n/);
    await worker.waitFor(/worker +\S+/);
  });

  afterAll(async () => {
    for (const one of [server, worker]) {
      one.signal("SIGTERM");
      await one.ended();
    }
    await database.drop();
  });

  test("receives what is sent, starts a case and lets it go on, and shows all of it", async () => {
    const placed = await send("order.placed", "e-1", { order: "o-1" });
    expect([placed.code, placed.stdout]).toEqual([0, `${url} answered 202\n`]);
    expect((await send("order.paid", "e-2", { order: "o-1" })).code).toBe(0);
    expect((await send("order.paid", "e-2", { order: "o-1" })).code).toBe(0);
    await expect
      .poll(async () => {
        const { stdout } = await run("cases", "list", "--json");
        return stdout.includes('"done"');
      }, waiting)
      .toBe(true);
    const paid = (await list("--type", "order.paid"))[0];
    expect(paid).toMatchObject({ event: { sightings: 2 }, work: [{ consumer: "paid", state: "done" }] });
    const shown = await run("inbox", "show", paid?.event.eventId ?? "");
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("order.paid");
    const body = await run("inbox", "show", paid?.event.eventId ?? "", "--body");
    expect(body.stdout).toContain(JSON.stringify('{"order":"o-1"}'));
  });

  test("told OpenTelemetry all of that order, from the webhook to its last step, by two processes", async () => {
    const named = (name: string): readonly PrintedSpan[] => printed().filter((span) => span.name === name);
    await expect.poll(() => named("case order").length, waiting).toBe(1);
    const [begun] = named("start order");
    const traceId = begun?.traceId ?? "";
    const ofCase = printed().filter((span) => span.traceId === traceId);
    expect(ofCase.map(({ name }) => name)).toEqual(["start order", "change", "send ship", "case order"]);
    // Backwards: the case names its events, and the webhooks name those.
    const [placed] = named("event order.placed");
    const [paid] = named("event order.paid");
    expect([begun?.linked, ofCase[1]?.linked]).toEqual([[placed?.traceId], [paid?.traceId]]);
    expect([placed?.linked, paid?.linked]).toEqual([[traceId], [traceId]]);
    const received = named("receive shop").flatMap(({ linked }) => linked);
    // What came twice is one event.
    expect(received).toEqual([placed?.traceId, paid?.traceId, paid?.traceId]);
  });

  test("signs what each provider would send, and says what to do where it cannot, or nothing was taken", async () => {
    const sendTo = (source: string, ...words: readonly string[]): Promise<Ended> =>
      run("inbox", "send", source, "--url", url.replace("shop", source), ...words);
    const bodies = {
      bus: { specversion: "1.0", id: "c-1", source: "/shop", type: "order.seen" },
      card: { notificationItems: [{ NotificationRequestItem: { eventCode: "CAPTURE", pspReference: "p" } }] },
      text: { MessageSid: "SM1", MessageStatus: "sent" },
    };
    for (const [source, body] of Object.entries(bodies)) {
      const sent = await sendTo(source, "--body", JSON.stringify(body));
      expect([source, sent.code, sent.stderr]).toEqual([source, 0, ""]);
      const [event] = await list("--source", source);
      expect([source, event?.event.eventType]).not.toEqual([source, "(unreadable)"]);
    }
    const body = ["--body", "{}"];
    const topic = await sendTo("topic", ...body);
    expect([topic.code, topic.stderr]).toEqual([6, expect.stringContaining("only the provider has the key")]);
    const elsewhere = await run("inbox", "send", "shop", "--url", url.replace("shop", "none"), ...body);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([6, expect.stringContaining("it has no source")]);
    const nowhere = await run("inbox", "send", "shop", "--url", "shop", ...body);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("is no address")]);
    const missing = await sendTo("shop", "--body", "@none.json");
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("cannot be read")]);
  });

  test("refuses what is not authentic, and lists it", async () => {
    const answer = await fetch(url, {
      method: "POST",
      body: "{}",
      headers: { "x-signature-256": "sha256=00" },
    });
    expect(answer.status).toBe(401);
    await expect
      .poll(async () => (await run("inbox", "list", "--refused")).stdout, waiting)
      .toMatch(/malformed|wrongSignature/);
    const large = await fetch(url, { method: "POST", body: new Uint8Array(2 * 1024 * 1024) });
    expect(large.status).toBe(413);
    await expect
      .poll(async () => (await run("inbox", "list", "--refused")).stdout, waiting)
      .toMatch(/tooLarge, lost[^]*What is lost is not sent again[^]*foothold inbox reconcile shop/);
  });

  test("shows work that waits for its case, opens work again, and leaves it undone", async () => {
    expect((await send("order.paid", "e-3", { order: "nobody's" })).code).toBe(0);
    await expect
      .poll(
        async () =>
          (await list("--type", "order.paid")).flatMap(({ work }) => work).map(({ state }) => state),
        waiting,
      )
      .toContain("waiting");
    expect((await run("inbox", "work")).stdout).toContain("shop");
    const [waits] = (await list("--type", "order.paid")).filter(({ work }) => work[0]?.state === "waiting");
    const replayed = await run("inbox", "replay", waits?.event.eventId ?? "", "--reason", "it was asked for");
    expect(replayed.stdout).toBe("Opened again: paid.\n");
    const unknown = await run("inbox", "replay", `e00-${"0".repeat(32)}`, "--reason", "no reason");
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("There is no event");
    const eventId = waits?.event.eventId ?? "";
    expect((await run("inbox", "ignore", eventId)).stderr).toContain("--reason is needed");
    // A worker is at it for a moment, now and then.
    await expect
      .poll(
        async () => (await run("inbox", "ignore", eventId, "--reason", "a test", "--by", "ann")).stdout,
        waiting,
      )
      .toBe("Ignored: paid.\n");
    const repeat = await send("order.paid", "e-3", { order: "nobody's" });
    expect([repeat.code, repeat.stderr]).toEqual([0, ""]);
    const shown = await run("inbox", "show", eventId);
    expect(shown.stdout).toContain("- paid: ignored: Ignored by ann: a test");
    expect(shown.stdout).toMatch(/ignored paid by ann: a test/);
    const audit = await run("audit", "list", "--act", "ignore", "--about", eventId);
    expect(audit.stdout).toContain("ann");
    const again = await run("inbox", "ignore", eventId, "--reason", "a test");
    expect(again.stdout).toBe("Nothing is changed. paid is as it was: it is ignored already.\n");
    const done = (await list("--type", "order.placed")).find(({ work }) => work[0]?.state === "done");
    const refused = await run("inbox", "ignore", done?.event.eventId ?? "", "--reason", "too late");
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("it is done")]);
  });

  test("reads the provider's list into the same inbox, and finds what never arrived", async () => {
    const first = await run("inbox", "reconcile", "shop");
    expect(first.stdout).toBe("1 events read, 1 of them had never arrived.\n");
    const second = await run("inbox", "reconcile", "shop");
    expect(second.stdout).toBe("1 events read, 0 of them had never arrived.\n");
    await expect
      .poll(async () => (await list("--type", "order.placed")).map(({ work }) => work[0]?.state), waiting)
      .toEqual(["done", "done"]);
  });

  test("says what is wrong with a source that is not there", async () => {
    const { code, stderr } = await run("inbox", "reconcile", "nobody");
    expect(code).not.toBe(0);
    expect(stderr).toContain("there are: shop");
  });
});
