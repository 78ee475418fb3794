import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { readNoticeBook, type NoticeBook } from "../define/notice-book.ts";
import type { NoticeOptions } from "../define/notices.ts";
import { examineOwners } from "./owners.ts";

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  owners: { access: "admins", outage: "platform" },
});
const { outline } = defineCase("order", { version: 1, owner: "ops", input: z.object({}) })
  .approval("approve", { by: "finance" })
  .step("create", { to: erp, run: () => null, undo: { run: () => null } });

const channels = { chat: { kind: "slack", url: () => "https://hooks.example.com/" } } as const;
const ops = { tell: ["chat"] };

function bookOf(over: Partial<NoticeOptions>): NoticeBook {
  return readNoticeBook({ channels, owners: {}, ...over }).book;
}

describe("the doctor", () => {
  test("finds every name that nobody answers to, with what it is used for", () => {
    const found = examineOwners([outline], bookOf({ owners: { ops, finance: ops } }));
    expect(found.map(({ code, severity, sentence }) => [code, severity, sentence])).toEqual([
      [
        "OWNER_UNANSWERED",
        "warning",
        "Nobody answers to the owner admins (access to erp): who is needed there is not told.",
      ],
      [
        "OWNER_UNANSWERED",
        "warning",
        "Nobody answers to the owner platform (outages of erp): who is needed there is not told.",
      ],
    ]);
  });

  test("finds nothing where somebody stands in, and where a project tells nobody at all", () => {
    expect(examineOwners([outline], bookOf({ owners: { ops }, otherwise: "ops" }))).toEqual([]);
    expect(examineOwners([outline], null)).toEqual([]);
  });
});
