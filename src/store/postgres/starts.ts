/**
 * Starting cases. A lone start goes at once; those that come while statements are under way go together with the next:
 * a commit each would cost many times as much, and so would a notification each.
 */

import { FootholdError, invariant } from "../../core/errors.ts";
import { FIRST_LINEAGE } from "../../core/lineage.ts";
import { keyFreedByIn, priorityIn } from "../../core/start-entry.ts";
import { PRIORITY_RANKS } from "../../core/starting.ts";
import type { InsertReply, NewCase } from "../port.ts";
import type { Database, Parameter, Runner } from "./database.ts";
import {
  codecColumn,
  encodeEntries,
  entryColumns,
  lineageAfter,
  summaryColumns,
  type SummaryColumns,
} from "./entry-columns.ts";
import { isCollision, isDataFault } from "./failures.ts";
import { sealEntries, type EncodedEntry } from "./journal-codec.ts";
import type { Hinting } from "./listener.ts";

/** Starts in one statement. */
const BATCH_MAX = 128;
/** Statements at the same time. */
const STATEMENTS_MAX = 2;
/** Starts that are worth a statement beside the one under way. */
const WORTH_ANOTHER = 32;
/** Starts that wait. */
const WAITING_MAX = 4_096;

interface Waiting {
  readonly start: Encoded;
  readonly answer: (reply: InsertReply) => void;
  readonly fail: (error: unknown) => void;
}

interface Encoded {
  readonly start: NewCase;
  readonly summary: SummaryColumns;
  readonly entries: readonly EncodedEntry[];
  readonly lineage: string;
}

/** Stores new cases as the port says. */
export class Starts {
  private readonly database: Database;
  private readonly hinting: Hinting;
  private waiting: Waiting[] = [];
  private underWay = 0;

  constructor(database: Database, hinting: Hinting) {
    this.database = database;
    this.hinting = hinting;
  }

  /**
   * Resolves when the start is judged and, where it began a case, committed. Throws `INVALID_REQUEST` when its data cannot
   * be stored, `DATABASE_UNAVAILABLE` when too many wait.
   */
  async insert(start: NewCase): Promise<InsertReply> {
    const encoded = encode(start);
    if (this.waiting.length >= WAITING_MAX) {
      const what = `${WAITING_MAX} starts of cases wait for the database already`;
      throw new FootholdError("DATABASE_UNAVAILABLE", `${what}: it does not keep up. Start fewer at a time.`);
    }
    return new Promise((answer, fail) => {
      this.waiting.push({ start: encoded, answer, fail });
      // What is started in the same breath goes together.
      queueMicrotask(() => this.flush());
    });
  }

  private flush(): void {
    while (
      this.underWay < STATEMENTS_MAX &&
      this.waiting.length >= (this.underWay === 0 ? 1 : WORTH_ANOTHER)
    ) {
      const batch = this.nextBatch();
      this.underWay += 1;
      void this.send(batch).finally(() => {
        this.underWay -= 1;
        this.flush();
      });
    }
  }

  /** No case id twice in one statement, which could not tell the two apart: the second waits for the next. */
  private nextBatch(): readonly Waiting[] {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const one of this.waiting) {
      const { caseId } = one.start.start.identity;
      if (batch.size < BATCH_MAX && !batch.has(caseId)) batch.set(caseId, one);
      else later.push(one);
    }
    this.waiting = later;
    return [...batch.values()];
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    // Sorted, so that two statements never wait for each other's business keys.
    const sorted = batch.toSorted((a, b) => compareStarts(a.start.start, b.start.start));
    try {
      const stored = await this.store(sorted.map(({ start }) => start));
      for (const [index, { start, answer, fail }] of sorted.entries()) {
        if (stored.has(index + 1)) answer({ kind: "started" });
        else await findReply(this.database, start.start).then(answer, fail);
      }
    } catch (error) {
      // What is wrong with one must not fail the others: each is sent again alone.
      if (batch.length > 1 && (isDataFault(error) || isCollision(error))) {
        for (const one of batch) await this.send([one]);
      } else for (const { fail } of batch) fail(error);
    }
  }

  /** The numbers, from 1, of those that were stored. */
  private async store(plain: readonly Encoded[]): Promise<ReadonlySet<number>> {
    const starts = await sealAll(this.database, plain);
    const isDue = starts.some(({ start }) => isDueAtOnce(start));
    const hint = isDue ? this.hinting.payload : null;
    const [first] = starts;
    const rows =
      first !== undefined && starts.length === 1
        ? await this.database.run<{ readonly n: number }>("insert_case", loneParameters(first, hint))
        : await this.database.run<{ readonly n: number }>("insert_cases", batchParameters(starts, hint));
    if (isDue && rows.length > 0) this.hinting.hint();
    return new Set(rows.map(({ n }) => n));
  }
}

/** Stores one start in a transaction that others write in, as the port says. Tells whether it is due by it. */
export async function startCaseIn(
  runner: Runner,
  hinting: Hinting,
  start: NewCase,
): Promise<{ readonly reply: InsertReply; readonly isDue: boolean }> {
  const isDue = isDueAtOnce(start);
  const hint = isDue ? hinting.payload : null;
  const rows: { readonly n: number }[] = [];
  for (const one of await sealAll(runner, [encode(start)])) {
    rows.push(...(await runner.run<{ readonly n: number }>("insert_case", loneParameters(one, hint))));
  }
  if (rows.length > 0) return { reply: { kind: "started" }, isDue };
  return { reply: await findReply(runner, start), isDue: false };
}

/** Why a start stored nothing. */
async function findReply(runner: Runner, { identity, commitId }: NewCase): Promise<InsertReply> {
  const { shard, caseId, tenant, caseType, businessKey } = identity;
  const [found] = await runner.run<{
    readonly commit_id: string | null;
    readonly case_id: string | null;
  }>("find_start", [shard, caseId, tenant, caseType, businessKey]);
  invariant(found !== undefined, "find_start returned no row");
  if (found.commit_id === commitId) return { kind: "repeated" };
  if (found.case_id !== null) return { kind: "exists", caseId: found.case_id };
  return { kind: "idTaken" };
}

function encode(start: NewCase): Encoded {
  return {
    start,
    summary: summaryColumns(start.row),
    entries: encodeEntries(start.identity.caseId, 0, start),
    lineage: lineageAfter(FIRST_LINEAGE, start),
  };
}

async function sealAll(runner: Runner, plain: readonly Encoded[]): Promise<readonly Encoded[]> {
  const cases = plain.map(({ start, entries }) => ({
    caseId: start.identity.caseId,
    revision: 0,
    entries,
  }));
  const sealed = await sealEntries(runner.payloads, cases);
  return plain.map((one, index) => ({ ...one, entries: sealed[index] ?? one.entries }));
}

function isDueAtOnce({ claim, row, at }: NewCase): boolean {
  return claim === null && row.dueAt !== null && row.dueAt <= at;
}

function compareStarts({ identity: a }: NewCase, { identity: b }: NewCase): number {
  if (a.shard !== b.shard) return a.shard - b.shard;
  const [left, right] = [a.businessKey ?? "", b.businessKey ?? ""];
  return left < right ? -1 : Number(left > right);
}

/** The columns of a case that statements take, in their order, but for its entries. */
function columnsOf({ start, summary, lineage }: Encoded): readonly Parameter[] {
  const { identity, commitId, claim, row, at } = start;
  return [
    identity.shard,
    identity.caseId,
    identity.tenant,
    identity.caseType,
    identity.businessKey,
    identity.definitionVersion,
    identity.engineVersion,
    row.revision,
    identity.startedAt,
    row.changedAt,
    row.state,
    row.dueAt,
    ...summary,
    claim?.claimId ?? null,
    claim?.holderId ?? null,
    claim?.actWithinMs ?? null,
    at,
    commitId,
    lineage,
  ];
}

function rulesOf({ start: { entries } }: Encoded): readonly [string, number] {
  return [keyFreedByIn(entries), PRIORITY_RANKS[priorityIn(entries)]];
}

function loneParameters(one: Encoded, hint: string | null): readonly Parameter[] {
  return [...columnsOf(one), ...entryColumns(one.entries), hint, ...rulesOf(one), codecColumn(one.entries)];
}

function batchParameters(starts: readonly Encoded[], hint: string | null): readonly Parameter[] {
  const rows = starts.map(columnsOf);
  const width = rows[0]?.length ?? 0;
  const rules = starts.map(rulesOf);
  return [
    ...Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null)),
    starts.flatMap(({ entries }, index) => entries.map(() => index + 1)),
    starts.flatMap(({ entries }) => entries.map((_, index) => index + 1)),
    ...entryColumns(starts.flatMap(({ entries }) => entries)),
    hint,
    rules.map(([freedBy]) => freedBy),
    rules.map(([, rank]) => rank),
    codecColumn(starts.flatMap(({ entries }) => entries)),
  ];
}
