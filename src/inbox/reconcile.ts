/**
 * Reads a provider's own list of what it sent into the same inbox with the same keys, so that what never arrived is found
 * and what did is a sighting. Page by page; where it was interrupted, it goes on; bounded in pages and in time.
 */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { Ports } from "../core/ports.ts";
import type { InboxStore, Reconciling } from "../store/inbox-port.ts";
import { headersOf } from "./arrival.ts";
import type { Receiver } from "./receive.ts";
import type { ListedItem, Source } from "./source.ts";

/** Pages of one reading; what is left comes with the next. */
const PAGES_MAX = 1_000;
/** Items of one page. */
const ITEMS_MAX = 10_000;
/** How long one page may take, in ms. */
const PAGE_MS_MAX = 60_000;
/** What happened just now may not be in the list yet. */
const FRESH_MS = 5_000;

/** What a list is read with. */
export interface ReconcileOptions {
  readonly store: Pick<InboxStore, "readReconciling" | "writeReconciling">;
  readonly receiver: Receiver;
  readonly ports: Pick<Ports, "clock">;
  readonly source: Source;
  readonly signal: AbortSignal;
}

/** What was found. */
export interface ReconcileReport {
  readonly items: number;
  /** Events that had never arrived. */
  readonly missed: number;
  /** False when it stopped at a bound; the next reading goes on. */
  readonly isComplete: boolean;
}

/** Reads a list. Throws `CONFIG_INVALID` for a source without one, and what its function throws. */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const { store, source, signal } = options;
  const { list, tenant, name } = source;
  if (list === null) {
    throw new FootholdError("CONFIG_INVALID", `The source ${name} has no list to read: give it \`list\`.`);
  }
  const known = await store.readReconciling(tenant, name);
  const underWay = known.underWay ?? beginning(options, known);
  let cursor = underWay.cursor;
  let items = 0;
  let missed = 0;
  for (let pages = 0; pages < PAGES_MAX && !signal.aborted; pages += 1) {
    const page = await list.page({
      sinceAt: underWay.sinceAt,
      untilAt: underWay.untilAt,
      cursor,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS_MAX)]),
    });
    missed += await takeAll(options, page.items.slice(0, ITEMS_MAX));
    items += page.items.length;
    cursor = page.next;
    if (cursor === null) {
      await store.writeReconciling(tenant, name, { readToAt: underWay.untilAt, underWay: null });
      return { items, missed, isComplete: true };
    }
    // After what it gave is stored: a reading that is cut off here reads one page twice.
    await store.writeReconciling(tenant, name, { ...known, underWay: { ...underWay, cursor } });
  }
  return { items, missed, isComplete: false };
}

function beginning(
  { ports, source }: ReconcileOptions,
  { readToAt }: Reconciling,
): NonNullable<Reconciling["underWay"]> {
  const now = ports.clock.now();
  const { overlapMs, firstBackMs } = source.list ?? { overlapMs: 0, firstBackMs: 0 };
  const sinceAt = readToAt === null ? now - firstBackMs : readToAt - overlapMs;
  return { sinceAt, untilAt: now - FRESH_MS, cursor: null };
}

async function takeAll(
  { receiver, source }: ReconcileOptions,
  items: readonly ListedItem[],
): Promise<number> {
  let missed = 0;
  for (const { body, headers } of items) {
    const taken = await receiver.takeListed(source, {
      headers: headersOf(Object.entries(headers ?? {})),
      body: bytesOf(body),
    });
    missed += taken.filter(({ isNew }) => isNew).length;
  }
  return missed;
}

function bytesOf(body: Uint8Array | string | Json): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
}
