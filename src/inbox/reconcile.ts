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
/** Items that are taken in at the same time. */
const AT_ONCE = 64;
/** How long one page may take, in ms. */
const PAGE_MS_MAX = 60_000;
/** What happened just now may not be in the list yet. */
const FRESH_MS = 5_000;

/** How long a list may be read. */
export interface ReconcileBounds {
  /** Ends the reading, also within a page. */
  readonly signal?: AbortSignal;
  /** No further page is begun after this, in ms; the next reading goes on. Default: 1,000 pages, however long they take. */
  readonly beginsForMs?: number;
}

/** What a list is read with. */
export interface ReconcileOptions extends ReconcileBounds {
  readonly store: Pick<InboxStore, "readReconciling" | "writeReconciling">;
  readonly receiver: Receiver;
  readonly ports: Pick<Ports, "clock">;
  readonly source: Source;
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
  const { store, source, ports, beginsForMs = Infinity, signal = new AbortController().signal } = options;
  const endsAt = ports.clock.monotonic() + beginsForMs;
  const { list, tenant, name } = source;
  if (list === null) {
    throw new FootholdError("CONFIG_INVALID", `The source ${name} has no list to read: give it \`list\`.`);
  }
  const known = await store.readReconciling(tenant, name);
  const underWay = known.underWay ?? beginning(options, known);
  let { cursor } = underWay;
  let items = 0;
  let missed = 0;
  for (let pages = 0; pages < PAGES_MAX && !signal.aborted; pages += 1) {
    if (pages > 0 && ports.clock.monotonic() >= endsAt) break;
    const isGoingOn = pages === 0 && cursor !== null;
    const page = await readPage({ source, signal }, list, { ...underWay, cursor }).catch(
      async (error: unknown) => {
        // A provider may have forgotten where the last reading stopped, and nothing else would ever get past that.
        const again = { ...known, underWay: { ...underWay, cursor: null } };
        if (isGoingOn && !signal.aborted) await store.writeReconciling(tenant, name, again);
        throw error;
      },
    );
    missed += await takeAll(options, page.items);
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

/** One page, whole: what is beyond a bound must not be taken for read. */
async function readPage(
  { source, signal }: { readonly source: Source; readonly signal: AbortSignal },
  { page }: NonNullable<Source["list"]>,
  { sinceAt, untilAt, cursor }: NonNullable<Reconciling["underWay"]>,
): Promise<{ readonly items: readonly ListedItem[]; readonly next: Json }> {
  const { items, next } = await withinBound(source, signal, (within) =>
    page({ sinceAt, untilAt, cursor, signal: within }),
  );
  const fault = (what: string): FootholdError =>
    new FootholdError("CONFIG_INVALID", `The list of the source ${source.name} ${what}.`);
  if (!Array.isArray(items))
    throw fault("gives no `items`: a page is { items, next }, the last one with next: null");
  if (items.length > ITEMS_MAX) {
    throw fault(
      `gives ${items.length} events on one page, more than ${ITEMS_MAX}: let \`page\` ask for fewer`,
    );
  }
  // Written in JavaScript, the last page often has no `next` at all.
  return { items, next: next ?? null };
}

/** A function of the author's that does not look at its signal ends with it all the same. */
async function withinBound<Page>(
  { name }: Source,
  signal: AbortSignal,
  read: (within: AbortSignal) => Promise<Page>,
): Promise<Page> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS_MAX)]);
  const listening = new AbortController();
  const over = new Promise<never>((_, reject) => {
    const late = `the list of ${name} gave no page within ${PAGE_MS_MAX} ms`;
    const end = (): void => reject(new Error(signal.aborted ? "this process stops" : late));
    within.addEventListener("abort", end, { once: true, signal: listening.signal });
  });
  try {
    return await Promise.race([read(within), over]);
  } finally {
    // Whoever listens to a signal made of others is kept, with all that it knows, until it is over or listens no more.
    listening.abort();
  }
}

async function takeAll(
  { receiver, source }: ReconcileOptions,
  items: readonly ListedItem[],
): Promise<number> {
  let missed = 0;
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const taking = items.slice(from, from + AT_ONCE).map(({ body, headers }) =>
      receiver.takeListed(source, {
        headers: headersOf(Object.entries(headers ?? {})),
        body: bytesOf(body),
      }),
    );
    missed += (await Promise.all(taking)).flat().filter(({ isNew }) => isNew).length;
  }
  return missed;
}

function bytesOf(body: Uint8Array | string | Json): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
}
