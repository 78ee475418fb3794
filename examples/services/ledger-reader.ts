import { readFile } from "node:fs/promises";
import type { Effect, LedgerPage, LedgerTotals, SeenRequest } from "./ledger-entries.ts";
import { LedgerFileError, parseLedgerBytes } from "./ledger-entries.ts";
import { ledgerEntriesMax, ledgerPageEntriesMax } from "./ledger.ts";

/** A whole ledger, as read by another process. Both arrays are in sequence order. */
export interface LedgerCopy {
  readonly effects: readonly Effect[];
  readonly requests: readonly SeenRequest[];
}

/**
 * Reads all pages of `GET /ledger` at a running service. Entries appended while it reads are included up to
 * the last page. Throws when the service cannot be reached or does not answer 200.
 */
export async function readLedgerAt(
  serviceUrl: string,
  signal?: AbortSignal,
): Promise<LedgerCopy & { readonly totals: LedgerTotals }> {
  const effects: Effect[] = [];
  const requests: SeenRequest[] = [];
  const pagesMax = Math.ceil(ledgerEntriesMax / ledgerPageEntriesMax);
  let after = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const { totals, nextAfter, ...entries } = await readPage(serviceUrl, after, signal);
    effects.push(...entries.effects);
    requests.push(...entries.requests);
    if (nextAfter === null) return { effects, requests, totals };
    after = nextAfter;
  }
  throw new Error(`the ledger at ${serviceUrl} did not end after ${pagesMax} pages`);
}

/**
 * Reads a ledger file that another process may be writing to, or has left behind. A last line that is not
 * whole yet is left out. Throws {@link LedgerFileError} when the file cannot be read or holds anything but
 * entries.
 */
export async function readLedgerFile(file: string): Promise<LedgerCopy> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new LedgerFileError({ file, line: null, why: "cannot be read", cause });
  }
  const { entries } = parseLedgerBytes(file, bytes);
  return {
    effects: entries.filter((entry) => entry.kind === "effect"),
    requests: entries.filter((entry) => entry.kind === "request"),
  };
}

async function readPage(serviceUrl: string, after: number, signal?: AbortSignal): Promise<LedgerPage> {
  const url = new URL("/ledger", serviceUrl);
  url.searchParams.set("after", String(after));
  const response = await fetch(url, { signal: signal ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}: ${text.slice(0, 200)}`);
  // Our own services answer with exactly this shape; the caller chose the address.
  return JSON.parse(text) as LedgerPage;
}
