import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import type { FaultedStep } from "./faults.ts";
import type { Effect, LedgerEntry, LedgerPage, LedgerTotals, SeenRequest } from "./ledger-entries.ts";
import { LedgerFileError, parseLedgerBytes } from "./ledger-entries.ts";

/**
 * Effects and requests together, each under about 2 KB; past it a service answers 507 and executes nothing.
 */
export const ledgerEntriesMax = 200_000;

/** Entries in one page of a ledger, at most. */
export const ledgerPageEntriesMax = 5_000;

/** Where a ledger keeps its entries and how it tells the time. */
export interface LedgerOptions {
  /**
   * A JSON-lines file to append to; entries already in it are loaded. Default: memory only. One writer per
   * file.
   */
  readonly file?: string;
  /** At most {@link ledgerEntriesMax}, which is the default. */
  readonly entriesMax?: number;
  /** The clock, in epoch milliseconds. Default: the system's. */
  readonly now?: () => number;
}

/**
 * An append-only record of what really happened at one or more services.
 *
 * All entries share one counter, so effects of several services that share a ledger are in their true order.
 * With a file each entry is written before the caller goes on (and so before a request is answered): it
 * outlives the process, however that ends, though not a power cut, since nothing is forced to the disk.
 */
export class Ledger {
  readonly #entries: LedgerEntry[] = [];
  readonly #effectByKey = new Map<string, Effect>();
  readonly #effectById = new Map<string, Effect>();
  readonly #effectCountByPath = new Map<string, number>();
  readonly #sightCountByStep = new Map<string, number>();
  readonly #requestCountByKey = new Map<string, number>();
  readonly #counts = { effects: 0, requests: 0, replayed: 0, dropped: 0, turnedAway: 0 };
  readonly #byEnd: Record<string, number> = {};
  readonly #byFault: Record<string, number> = {};
  readonly #entriesMax: number;
  readonly #file: string | null;
  #descriptor: number | null = null;
  readonly now: () => number;

  private constructor(options: LedgerOptions) {
    this.#entriesMax = Math.min(options.entriesMax ?? ledgerEntriesMax, ledgerEntriesMax);
    this.#file = options.file ?? null;
    this.now = options.now ?? Date.now;
  }

  /**
   * Opens a ledger and loads what its file holds; a last line that was cut short by a crash is removed.
   * Throws {@link LedgerFileError} when the file cannot be opened or holds anything but entries, and leaves
   * it as it was.
   */
  static open(options: LedgerOptions = {}): Ledger {
    const ledger = new Ledger(options);
    if (options.file !== undefined) ledger.#load(options.file);
    return ledger;
  }

  /** True when no more entries are taken. A service asks before it executes anything. */
  get isFull(): boolean {
    // Two entries of room: a request may append its effect and itself.
    return this.#entries.length + 2 > this.#entriesMax;
  }

  /** The effect of an idempotency key at a service. */
  effectOfKey(service: string, key: string): Effect | undefined {
    return this.#effectByKey.get(joined(service, key));
  }

  /** The effect with the service's own id, such as `R-17`. */
  effectOfId(service: string, id: string): Effect | undefined {
    return this.#effectById.get(joined(service, id));
  }

  /** How many effects were executed at a path of a service. */
  effectCountAt(service: string, path: string): number {
    return this.#effectCountByPath.get(joined(service, path)) ?? 0;
  }

  /** How many requests for this step of a case were seen, at whatever service of this ledger. */
  sightCount(step: FaultedStep): number {
    return this.#sightCountByStep.get(stepKey(step)) ?? 0;
  }

  /** How many requests with this key and a known step a service has seen. */
  requestCountOfKey(service: string, key: string): number {
    return this.#requestCountByKey.get(joined(service, key)) ?? 0;
  }

  /** All effects in sequence order. A new array each time. */
  effects(): Effect[] {
    return this.#entries.filter((entry) => entry.kind === "effect");
  }

  /** All requests in sequence order. A new array each time. */
  requests(): SeenRequest[] {
    return this.#entries.filter((entry) => entry.kind === "request");
  }

  /** Counts over the whole ledger. */
  totals(): LedgerTotals {
    return { ...this.#counts, byEnd: { ...this.#byEnd }, byFault: { ...this.#byFault } };
  }

  /** Up to `limit` entries (at most 5,000) whose sequence is above `after`, in sequence order. */
  page(wanted: { readonly after: number; readonly limit: number }): LedgerPage {
    const end = wanted.after + Math.min(wanted.limit, ledgerPageEntriesMax);
    const entries = this.#entries.slice(wanted.after, end);
    return {
      totals: this.totals(),
      effects: entries.filter((entry) => entry.kind === "effect"),
      requests: entries.filter((entry) => entry.kind === "request"),
      nextAfter: end < this.#entries.length ? end : null,
    };
  }

  /**
   * Appends an effect; its sequence and time are given here. Throws, with nothing kept, if the file refuses
   * it.
   */
  appendEffect(effect: Omit<Effect, "kind" | "sequence" | "executedAt">): Effect {
    const sequence = this.#entries.length + 1;
    const entry: Effect = { kind: "effect", sequence, executedAt: this.now(), ...effect };
    this.#write(entry);
    this.#keep(entry);
    return entry;
  }

  /** Appends a request that has ended. Throws, with nothing kept, if the file refuses it. */
  appendRequest(request: Omit<SeenRequest, "kind" | "sequence">): SeenRequest {
    const entry: SeenRequest = { kind: "request", sequence: this.#entries.length + 1, ...request };
    this.#write(entry);
    this.#keep(entry);
    return entry;
  }

  /** Counts a request that was turned away because the ledger is full. */
  countTurnedAway(): void {
    this.#counts.turnedAway += 1;
  }

  /** Closes the file, if there is one; what was appended can still be read. Safe to call twice. */
  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #load(file: string): void {
    try {
      this.#descriptor = openSync(file, "a+", 0o600);
    } catch (cause) {
      throw new LedgerFileError({ file, line: null, why: "cannot be opened", cause });
    }
    try {
      const bytes = readFileSync(file);
      const { entries, wholeBytes } = parseLedgerBytes(file, bytes);
      if (entries.length > this.#entriesMax) {
        const why = `holds ${entries.length} entries; the limit is ${this.#entriesMax}`;
        throw new LedgerFileError({ file, line: null, why });
      }
      if (wholeBytes < bytes.length) ftruncateSync(this.#descriptor, wholeBytes);
      for (const entry of entries) this.#keep(entry);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #write(entry: LedgerEntry): void {
    if (this.#file === null) return;
    if (this.#descriptor === null) throw new Error(`the ledger ${this.#file} is closed`);
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      // A write may take only part of the bytes; each turn takes at least one, so this ends.
      for (let written = 0; written < bytes.length;) {
        written += writeSync(this.#descriptor, bytes, written);
      }
    } catch (error) {
      // Half a line may be in the file now: nothing may follow it. The next start cuts it off.
      this.close();
      throw error;
    }
  }

  #keep(entry: LedgerEntry): void {
    this.#entries.push(entry);
    if (entry.kind === "effect") this.#keepEffect(entry);
    else this.#keepRequest(entry);
  }

  #keepEffect(effect: Effect): void {
    this.#counts.effects += 1;
    this.#effectById.set(joined(effect.service, effect.id), effect);
    if (effect.key !== null) this.#effectByKey.set(joined(effect.service, effect.key), effect);
    addOne(this.#effectCountByPath, joined(effect.service, effect.path));
  }

  #keepRequest(request: SeenRequest): void {
    this.#counts.requests += 1;
    if (request.replayed) this.#counts.replayed += 1;
    if (request.ended === "dropped") this.#counts.dropped += 1;
    this.#byEnd[request.ended] = (this.#byEnd[request.ended] ?? 0) + 1;
    if (request.fault !== null) this.#byFault[request.fault] = (this.#byFault[request.fault] ?? 0) + 1;
    if (request.step === null) return;
    addOne(this.#sightCountByStep, stepKey(request.step));
    if (request.key !== null) addOne(this.#requestCountByKey, joined(request.service, request.key));
  }
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The line feed cannot be in a service name, so two pairs never give one text. */
function joined(service: string, rest: string): string {
  return `${service}\n${rest}`;
}

function stepKey(step: FaultedStep): string {
  return JSON.stringify([step.caseId, step.activity, step.occurrence]);
}
