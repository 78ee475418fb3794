import { expect, test } from "vitest";
import { z } from "zod";
import { BUILT_IN_ROLES } from "../core/rights.ts";
import { defineCase } from "../define/builder.ts";
import { readNoticeBook } from "../define/notice-book.ts";
import { examineApprovers, type KnownPeople } from "./approvers.ts";

const { outline } = defineCase("order", { version: 1, owner: "ops", input: z.object({}) })
  .approval("approve", { by: "finance" })
  .sleep("wait", { for: "1d" });

const { owners } = readNoticeBook({
  channels: { chat: { kind: "slack", url: () => "https://hooks.example.com/" } },
  owners: { ada: { tell: ["chat"] }, ben: { tell: ["chat"] }, finance: { people: ["ada", "ben"] } },
}).book;

function person(name: string, role: string, disabledAt: number | null = null): KnownPeople["people"][number] {
  return { name, roles: [role], disabledAt };
}

function examine(people: KnownPeople["people"]): ReturnType<typeof examineApprovers> {
  return examineApprovers([outline], { owners, people, roles: BUILT_IN_ROLES });
}

test.each<[string, KnownPeople["people"], readonly string[]]>([
  ["nobody has an account", [], []],
  ["one of them may approve", [person("ada", "viewer"), person("ben", "approver")], []],
  ["the owner has an account of its own name", [person("finance", "approver")], []],
  ["none of them has an account", [person("cleo", "admin")], ["APPROVER_UNKNOWN"]],
  ["all of them are disabled", [person("ada", "approver", 1), person("cleo", "admin")], ["APPROVER_MISSING"]],
  ["none of them has the right", [person("ada", "viewer"), person("ben", "operator")], ["APPROVER_MISSING"]],
])("where %s", (_, people, codes) => {
  expect(examine(people).map(({ code }) => code)).toEqual(codes);
});

test("what it finds says of which approval and whom, and what mends it", () => {
  expect(examine([person("ada", "viewer")])).toMatchObject([
    {
      caseType: "order",
      step: "approve",
      severity: "warning",
      sentence:
        "Nobody of finance (ada) may sign in and approve, so approve of order waits for whoever stands in.",
      remedy: "foothold people change ada --role approver, or --enable",
    },
  ]);
  expect(examine([person("cleo", "admin")])).toMatchObject([
    {
      severity: "info",
      sentence: "No account is known to be finance's, so approve of order is not for its people alone.",
    },
  ]);
});

test("whom it is escalated to and nobody knows adds nobody, and nothing else changes", () => {
  const later = defineCase("order", { version: 1, owner: "ops", input: z.object({}) }).approval("approve", {
    by: "finance",
    escalate: { to: "board", after: "1d" },
  });
  const said = (...people: KnownPeople["people"]): readonly string[] =>
    examineApprovers([later.outline], { owners, people, roles: BUILT_IN_ROLES }).map(
      ({ sentence }) => sentence,
    );
  expect(said(person("ada", "approver"))).toEqual([
    "No account is known to be board's, so it adds nobody who may answer approve of order.",
  ]);
  expect(said(person("ada", "approver"), person("board", "viewer"))).toEqual([
    "Nobody of board (board) may sign in and approve, so nobody more may answer approve of order.",
  ]);
});
