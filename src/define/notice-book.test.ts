import { describe, expect, test } from "vitest";
import { readNoticeBook } from "./notice-book.ts";

const chat = { kind: "slack", url: () => "https://hooks.example.com/" };
const mail = { kind: "mail", from: "foothold@example.com", smtp: () => "smtps://mail.example.com" };
const ada = { tell: [{ by: "mail", to: "ada@example.com" }] };

function faultsOf(notices: unknown): readonly string[] {
  return readNoticeBook(notices).faults.map(({ path, message }) => `${path}: ${message}`);
}

describe("who is told", () => {
  test("is read with the times and bounds that nothing was said of", () => {
    const { book, faults } = readNoticeBook({
      channels: { mail, chat },
      owners: {
        ada,
        "ERP admins": { people: ["ada"], tell: ["chat"] },
        duty: { rota: () => "ada", fallback: "ERP admins" },
      },
      otherwise: "duty",
      consoleUrl: "https://foothold.example.com/ops/",
    });
    expect(faults).toEqual([]);
    expect(book).toMatchObject({
      otherwise: "duty",
      consoleUrl: "https://foothold.example.com/ops",
      rules: { gatherMs: 30_000, againMs: 3_600_000, growth: null },
      dueAfterMs: 86_400_000,
    });
    expect(book.channels.get("chat")).toMatchObject({
      tellsOver: false,
      allowPrivate: false,
      retry: { maxAttempts: 8 },
    });
    expect(book.owners.get("ERP admins")).toEqual({
      kind: "people",
      people: ["ada"],
      tell: [{ channel: "chat", to: null }],
    });
    expect(book.owners.get("duty")).toMatchObject({
      kind: "rota",
      deadlineMs: 5_000,
      fallback: "ERP admins",
    });
  });

  test("a pager and a program are told what is over, unless that is not wanted", () => {
    const pager = { kind: "pagerDuty", routingKey: () => "key" };
    const hook = { kind: "webhook", url: () => "", secret: () => "", tellsOver: false };
    const { book, faults } = readNoticeBook({ channels: { pager, hook }, owners: {} });
    expect(faults).toEqual([]);
    expect([book.channels.get("pager")?.tellsOver, book.channels.get("hook")?.tellsOver]).toEqual([
      true,
      false,
    ]);
  });

  test.each<[string, unknown, string]>([
    ["is no object", [], "notices: give an object with"],
    [
      "has an option that is none",
      { channels: {}, owners: {}, people: {} },
      "notices.people: there is no such option",
    ],
    [
      "has channels that are no object",
      { channels: [], owners: {} },
      "notices.channels: give an object by names",
    ],
    [
      "has a channel of no kind",
      { channels: { x: {} } },
      "notices.channels.x: give a kind: one of mail, slack",
    ],
    [
      "has a channel of another kind",
      { channels: { x: { kind: "fax" } } },
      "notices.channels.x: give a kind",
    ],
    ["has a channel with no name", { channels: { "a b": chat } }, "is not a name"],
    [
      "has a channel without its address",
      { channels: { x: { kind: "slack" } } },
      "notices.channels.x.url: is missing",
    ],
    [
      "has a secret that stands in it as a text",
      { channels: { x: { kind: "webhook", url: () => "", secret: "whsec_" } } },
      "notices.channels.x.secret: must be a function",
    ],
    ["has a flag that is none", { channels: { x: { ...chat, allowPrivate: 1 } } }, "must be true or false"],
    ["has an owner who is told nowhere", { owners: { ada: {} } }, "notices.owners.ada: say where it is told"],
    [
      "has an owner of no channel",
      { owners: { ada: { tell: ["chat"] } } },
      "names no channel; there are: none",
    ],
    [
      "has a list that is none",
      { owners: { ada: { tell: "chat" } } },
      "notices.owners.ada.tell: must be a list",
    ],
    [
      "has several addresses in one",
      { channels: { mail }, owners: { ada: { tell: [{ by: "mail", to: "a@example.com, b@example.com" }] } } },
      "notices.owners.ada.tell.0.to: must be a mail address",
    ],
    [
      "has a header in an address",
      {
        channels: { mail },
        owners: { ada: { tell: [{ by: "mail", to: "a@example.com\r\nBcc: b@c.example" }] } },
      },
      "notices.owners.ada.tell.0.to: must",
    ],
    [
      "has an address for a channel of one place",
      { channels: { chat }, owners: { ada: { tell: [{ by: "chat", to: "#ops" }] } } },
      "goes with mail only",
    ],
    [
      "has a team with a stranger",
      { channels: { mail }, owners: { team: { people: ["eve"] } } },
      'notices.owners.team.people: names "eve", and there are: team',
    ],
    [
      "has a team in a team",
      { channels: { mail }, owners: { ada, one: { people: ["ada"] }, two: { people: ["one"] } } },
      'names "one", which is no person',
    ],
    [
      "has a rota that is no function",
      { owners: { duty: { rota: "ada", fallback: "ada" } } },
      "must be a function",
    ],
    [
      "has a rota without a fallback",
      { owners: { duty: { rota: () => "ada" } } },
      "duty.fallback: is missing",
    ],
    [
      "has a rota that falls back on a rota",
      { owners: { a: { rota: () => "x", fallback: "b" }, b: { rota: () => "x", fallback: "a" } } },
      "must be a person or a team, not another rota",
    ],
    [
      "has a rota that may take an hour",
      { owners: { d: { rota: () => "x", fallback: "x", deadline: "1h" } } },
      "at most 30s",
    ],
    [
      "names nobody otherwise",
      { owners: {}, otherwise: "eve" },
      'notices.otherwise: names "eve", and there are: none',
    ],
    ["has a console that is no address", { consoleUrl: "foothold.example.com" }, "must be an http address"],
    ["has a console with a query", { consoleUrl: "https://x.example/?a=1" }, "must be an http address"],
    ["grows by nothing", { growth: 1 }, "must be a whole number from 2 to 1000"],
    ["is told again and again", { again: "1s" }, "must be at least 1m"],
    [
      "has too many places",
      { channels: { chat }, owners: { all: { tell: Array(51).fill("chat") } } },
      "more than 50",
    ],
  ])("is refused where it %s", (_, notices, fault) => {
    expect(faultsOf(notices).join("\n")).toContain(fault);
  });
});
