import { FootholdError } from "../../src/core/errors.ts";
import type { Review } from "../../src/core/journal.ts";
import type { ApprovalWait } from "../../src/core/waits.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { readNoticeBook, type NoticeBook } from "../../src/define/notice-book.ts";
import type { NoticeOptions } from "../../src/define/notices.ts";
import { registryOf, type Registry } from "../../src/define/registry.ts";
import { systemPorts } from "../../src/engine/system.ts";
import type { NoticeParts } from "../../src/notices/parts.ts";
import type { NoticeReport } from "../../src/notices/report.ts";
import { createNoticeSweep, type NoticeSweep } from "../../src/notices/sweep.ts";
import type { Store } from "../../src/store/port.ts";
import { newCase } from "../store/made-cases.ts";
import { input } from "../engine/steps.ts";

function never(): never {
  throw new Error("telling owners must not run a step");
}

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  credential: "erp-service",
  owners: { access: "erp-admins", input: "purchasing" },
});

/** A case type with an owner of each kind. */
const purchase = defineCase("purchase", { version: 1, owner: "purchasing", input })
  .approval("approve", { by: "finance" })
  .step("createRecord", { to: erp, run: never });

const registry: Registry = registryOf([purchase]);

/** Reads options as the configuration does; cases gather for no time, so that a test need not wait. */
export function bookOf(options: NoticeOptions, over: Partial<NoticeBook> = {}): NoticeBook {
  const { book, faults } = readNoticeBook({ gather: 0, ...options });
  if (faults.length > 0) throw new FootholdError("CONFIG_INVALID", JSON.stringify(faults));
  return { ...book, ...over };
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}

/** What telling works with, on one store; this machine may be reached. */
export function partsOn(
  store: Store,
  book: NoticeBook,
  over: Partial<NoticeParts["sending"]> = {},
): NoticeParts {
  const sending = { consoleUrl: "https://foothold.example.com", formatTime, reachesLoopback: true, ...over };
  return { store, registry, ports: systemPorts(), book, sending };
}

/** A sweep and what it told. */
export function sweepOn(parts: NoticeParts): NoticeSweep & { readonly reports: readonly NoticeReport[] } {
  const reports: NoticeReport[] = [];
  const sweep = createNoticeSweep({ parts, onReport: (report) => void reports.push(report) });
  return { ...sweep, reports };
}

/** Starts cases that stand in review. */
export async function startReviewed(
  store: Store,
  count: number,
  over: Partial<Review> = {},
): Promise<readonly string[]> {
  const at = (await store.now()) - 1_000;
  const review: Review = {
    step: "createRecord",
    reason: "rejected",
    sentence: "erp refused the vendor.",
    owner: "purchasing",
    nextCheckAllowedAt: null,
    ...over,
  };
  const started = Array.from({ length: count }, () =>
    newCase({ at, entries: [{ kind: "reviewOpened", review }] }),
  );
  for (const one of started) await store.insertCase(one);
  return started.map(({ identity }) => identity.caseId);
}

/** Starts a case that waits for its approval since `at`. */
export async function startAsked(store: Store, at: number, over: Partial<ApprovalWait> = {}): Promise<void> {
  const wait: ApprovalWait = { kind: "approval", step: "approve", dueAt: null, by: "finance", ...over };
  await store.insertCase(newCase({ at, entries: [{ kind: "parked", waits: [wait], dueAt: null }] }));
}

/** Takes in events whose work stands in review. */
export async function takeReviewed(store: Store, count: number): Promise<readonly string[]> {
  const eventIds = Array.from({ length: count }, (_, index) => `e07-${String(index).padStart(32, "0")}`);
  for (const [index, eventId] of eventIds.entries()) {
    const review = "Nothing says which case it belongs to.";
    const hash = String(index).padStart(64, "0");
    const event = {
      eventId,
      itemNo: 0,
      keyKind: "delivery",
      itemHash: hash,
      eventType: "paid",
      subject: null,
      occurredAt: null,
      furtherKeys: [],
      standing: "routed",
      work: [{ consumer: "tell", lane: null, owner: "purchasing", withinMs: 60_000, review }],
    } as const;
    const arrived = {
      receivedAt: 1_000,
      how: "posted",
      scheme: "hmac",
      secretId: "#1",
      signedAt: null,
    } as const;
    const body = { headers: [], body: Buffer.from("{}"), bodyHash: hash } as const;
    const named = { tenant: "default", source: "bank", deliveryId: `d07-${String(index).padStart(32, "0")}` };
    await store.inbox.takeIn([{ ...named, ...arrived, ...body, events: [event] }]);
  }
  return eventIds;
}
