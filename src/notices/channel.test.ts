import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { tellMatter, tellOver, type NoticeContent } from "../core/notice-words.ts";
import type { NoticeSubject } from "../core/notices.ts";
import { readNoticeBook, type ChannelSetup } from "../define/notice-book.ts";
import type { ChannelOptions } from "../define/notices.ts";
import { systemPorts } from "../engine/system.ts";
import { createInbox } from "../inbox/inbox.ts";
import { defineSource } from "../inbox/source.ts";
import { memoryStore } from "../store/memory/store.ts";
import { sendBy, type SendParts } from "./channel.ts";
import { listenOn } from "./listening.fixture.ts";
import { startHookServer, startMailServer, type HookServer, type MailServer } from "./receivers.fixture.ts";
import type { Outgoing } from "./message.ts";

const subject: NoticeSubject = {
  kind: "access",
  reason: "denied",
  destination: "erp<&>",
  credentialId: "erp-service",
};
const open = {
  cases: 5_000,
  causes: 1,
  firstSinceAt: 1_700_000_000_000,
  lastSinceAt: 1_700_000_000_000,
  firstDueAt: 1_700_000_100_000,
  nextCheckAllowedAt: null,
  lastRemindAt: null,
  caseId: "07-a",
};
const content = tellMatter({ owner: "erp-admins", subject, held: 0, open, overdue: null }, "new");
const parts: SendParts = {
  consoleUrl: "https://foothold.example.com",
  formatTime: (at) => new Date(at).toISOString(),
  reachesLoopback: true,
};
const never = new AbortController().signal;
const secret = `whsec_${randomBytes(24).toString("base64")}`;

let hook: HookServer;
let mail: MailServer;
beforeAll(async () => {
  hook = await startHookServer();
  mail = await startMailServer();
});
afterEach(() => {
  for (const list of [hook.requests, hook.answers, mail.mails, mail.refusals]) list.length = 0;
});
afterAll(async () => {
  await hook.close();
  await mail.close();
});

function channel(options: ChannelOptions): ChannelSetup {
  const { book, faults } = readNoticeBook({ channels: { one: options }, owners: {} });
  expect(faults).toEqual([]);
  const setup = book.channels.get("one");
  if (setup === undefined) throw new Error("no channel");
  return setup;
}

function outgoing(over: Partial<Outgoing> = {}): Outgoing {
  const about = { messageId: "m1", noticeId: "n1", to: null, content, at: 1_700_000_200_000 };
  return { ...about, ...over };
}

const url = (): string => hook.url;
const bodyOf = (): unknown => JSON.parse(hook.requests[0]?.body ?? "null");

const source = (name: string, one: string): ReturnType<typeof defineSource> =>
  defineSource(name, {
    preset: "standard-webhooks",
    owner: "ops",
    secrets: () => one,
    consumers: {},
  });

const byMail = (): ChannelSetup =>
  channel({ kind: "mail", from: "Foothold <foothold@example.com>", smtp: () => mail.url });

describe("a mail", () => {
  test("arrives with its sentence, its facts and a link, under an id that a repeat has too", async () => {
    for (let count = 0; count < 2; count += 1) {
      expect(await sendBy(byMail(), outgoing({ to: "ada@example.com" }), parts, never)).toBeNull();
    }
    const [first, second] = mail.mails;
    expect(first).toMatchObject({ from: "foothold@example.com", to: ["ada@example.com"] });
    for (const part of [
      "Subject: 5,000 cases need access to erp<&>",
      "Message-ID: <m1@foothold>",
      "References: <n1@foothold>",
      "Auto-Submitted: auto-generated",
      "erp<&> refuses the credential erp-service",
      "Owner: erp-admins",
      "Due: 2023-11-14T22:15:00.000Z",
      "Next check allowed: only after a person acted",
      "https://foothold.example.com/cases?owner=erp-admins&destination=erp<&>",
    ]) {
      expect(first?.text).toContain(part);
      expect(second?.text).toContain(part);
    }
  });

  test.each([
    ["451 4.3.0 try again later", "transient"],
    ["550 5.1.1 no such mailbox", "rejected"],
  ])("that the server answers with %s is sorted as %s", async (reply, kind) => {
    mail.refusals.push(reply);
    expect(await sendBy(byMail(), outgoing({ to: "ada@example.com" }), parts, never)).toMatchObject({ kind });
  });

  test("that no server takes is sorted as not sent", async () => {
    const gone = channel({ kind: "mail", from: "a@example.com", smtp: () => "smtp://127.0.0.1:1" });
    const failure = await sendBy(gone, outgoing({ to: "ada@example.com" }), parts, never);
    expect(failure).toMatchObject({ cause: "transient", executed: "no" });
  });
});

describe("a webhook", () => {
  test("to Slack says the same, and what was said mentions nobody", async () => {
    expect(await sendBy(channel({ kind: "slack", url }), outgoing(), parts, never)).toBeNull();
    expect(bodyOf()).toMatchObject({ unfurl_links: false });
    expect(hook.requests[0]?.body).toContain("5,000 cases need access to erp&lt;&amp;&gt;");
    expect(hook.requests[0]?.body).toContain("|Open in the console>");
  });

  test("to Teams is a card with a button that opens the console", async () => {
    expect(await sendBy(channel({ kind: "teams", url }), outgoing(), parts, never)).toBeNull();
    expect(bodyOf()).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [{ text: content.title }, { text: content.sentence }, { type: "FactSet" }],
            actions: [{ type: "Action.OpenUrl", url: expect.stringContaining("/cases?owner=") as unknown }],
          },
        },
      ],
    });
  });

  test("to PagerDuty opens and resolves one incident for one notice", async () => {
    const pager = channel({ kind: "pagerDuty", url, routingKey: () => "R0UT1NG" });
    const tell = (told: NoticeContent): Promise<unknown> =>
      sendBy(pager, outgoing({ content: told }), parts, never);
    expect(await tell(content)).toBeNull();
    expect(await tell({ ...content, why: "overdue" })).toBeNull();
    expect(await tell(tellOver("erp-admins", subject))).toBeNull();
    const sent = hook.requests.map(({ body }) => JSON.parse(body) as unknown);
    const event = { routing_key: "R0UT1NG", dedup_key: "foothold-n1" };
    expect(sent).toEqual([
      expect.objectContaining({
        ...event,
        event_action: "trigger",
        payload: expect.objectContaining({ severity: "error", source: "foothold" }) as unknown,
      }),
      expect.objectContaining({ ...event, event_action: "trigger" }),
      { ...event, event_action: "resolve" },
    ]);
  });

  test("to a program of one's own is signed: our own inbox takes it once, and nothing that was changed", async () => {
    const store = memoryStore();
    const other = `whsec_${randomBytes(24).toString("base64")}`;
    const sources = [source("own", secret), source("other", other)];
    const inbox = createInbox({ store, sources, ports: systemPorts() });
    const server = createServer((incoming, answered) => void inbox.node(incoming, answered));
    const { port, close } = await listenOn(server);
    const sendTo = (name: string): Promise<unknown> => {
      const at = (): string => `http://127.0.0.1:${port}/inbox/${name}`;
      const signed = channel({ kind: "webhook", url: at, secret: () => secret });
      return sendBy(signed, outgoing({ at: Date.now() }), parts, never);
    };
    try {
      expect([await sendTo("own"), await sendTo("own")]).toEqual([null, null]);
      expect(await sendTo("other")).toMatchObject({ cause: "denied" });
      const { events } = await store.inbox.listEvents({ limit: 10 });
      expect(events).toHaveLength(1);
      const [found] = events;
      expect(found?.event).toMatchObject({ source: "own", eventType: "foothold.notice.new" });
      expect(found?.event.sightings).toBe(2);
    } finally {
      await close();
      await inbox.close();
      await store.close();
    }
  });

  test.each<[number, string]>([
    [503, "transient"],
    [429, "throttled"],
    [403, "denied"],
    [404, "gone"],
    [400, "rejected"],
    [302, "bug"],
  ])("that is answered with %i is sorted as %s, and its address is told to nobody", async (status, cause) => {
    hook.answers.push({ status, headers: { location: "http://127.0.0.1/secret-path" } });
    const path = `${hook.url}/services/T000/SECRET`;
    const failure = await sendBy(channel({ kind: "slack", url: () => path }), outgoing(), parts, never);
    expect(failure).toMatchObject({ cause });
    expect(JSON.stringify(failure)).not.toContain("SECRET");
  });

  test("waits as long as it is told to", async () => {
    hook.answers.push({ status: 429, headers: { "retry-after": "120" } });
    const failure = await sendBy(channel({ kind: "slack", url }), outgoing(), parts, never);
    expect(failure?.instruction).toMatchObject({ kind: "retryAfter", delayMs: 120_000 });
  });

  test("is not sent inside where that was not allowed, and says so without the address", async () => {
    const failure = await sendBy(
      channel({ kind: "slack", url: () => "https://127.0.0.1/SECRET" }),
      outgoing(),
      { ...parts, reachesLoopback: false },
      never,
    );
    expect(failure).toMatchObject({ cause: "bug", executed: "no", rule: "channel.refused" });
    expect(failure?.sentence).toBe(
      "Nothing was sent by one: 127.0.0.1 is at an address that is not on the internet.",
    );
    expect(hook.requests).toEqual([]);
  });

  test("is sent inside where that was allowed", async () => {
    const inside = channel({ kind: "slack", url, allowPrivate: true });
    expect(await sendBy(inside, outgoing(), { ...parts, reachesLoopback: false }, never)).toBeNull();
  });

  test.each<[string, ChannelOptions]>([
    ["an address", { kind: "slack", url: () => undefined }],
    [
      "an address that throws",
      {
        kind: "teams",
        url: () => {
          throw new Error("SECRET");
        },
      },
    ],
    ["a key", { kind: "pagerDuty", url, routingKey: () => "" }],
    ["a good secret", { kind: "webhook", url, secret: () => "short" }],
    ["an mail server", { kind: "mail", from: "a@example.com", smtp: () => undefined }],
  ])("without %s is not sent, and says which setting is missing", async (_, options) => {
    const failure = await sendBy(channel(options), outgoing({ to: "ada@example.com" }), parts, never);
    expect(failure).toMatchObject({ cause: "bug", executed: "no", rule: "channel.unset" });
    expect(JSON.stringify(failure)).not.toContain("SECRET");
  });

  test("that was under way when we stopped may be sent again", async () => {
    hook.answers.push("silent");
    const stop = new AbortController();
    const sending = sendBy(channel({ kind: "slack", url }), outgoing(), parts, stop.signal);
    while (hook.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await sending).toMatchObject({ cause: "stopped", executed: "maybe" });
  });
});
