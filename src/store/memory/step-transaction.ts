/** Transactions of steps in memory: what is staged in one is done with the commit that confirms the step, or not at all. */

import { FootholdError } from "../../core/errors.ts";
import type {
  CaseChange,
  ChangeId,
  ChangeReply,
  FoldedCase,
  HolderCommit,
  HolderReply,
  InsertReply,
  NewCase,
  StepTransaction,
} from "../port.ts";

type Decide<Reply> = (stored: FoldedCase, now: number) => CaseChange<Reply>;

/** What a transaction asks of the store before its commit, and does with it. */
export interface StagedStore {
  /** What a start would find; null = nothing is in its way. */
  findStart(start: NewCase): InsertReply | null;
  insertCase(start: NewCase): InsertReply;
  /** What a change would be told, with nothing changed. */
  tryChange<Reply>(caseId: string, change: ChangeId, decide: Decide<Reply>): ChangeReply<Reply> | null;
  changeCase<Reply>(caseId: string, change: ChangeId, decide: Decide<Reply>): ChangeReply<Reply> | null;
}

/** A transaction in memory. */
export class MemoryTransaction implements StepTransaction {
  readonly #cases: StagedStore;
  readonly #store: (commit: HolderCommit) => HolderReply;
  #staged: (() => void)[] = [];
  #isOver = false;

  constructor(cases: StagedStore, store: (commit: HolderCommit) => HolderReply) {
    this.#cases = cases;
    this.#store = store;
  }

  /** Does `effect` with the commit. Throws `INVALID_REQUEST` once the transaction is over. */
  stage(effect: () => void): void {
    if (this.#isOver) {
      throw new FootholdError(
        "INVALID_REQUEST",
        "The transaction of this step is over: nothing more is done in it.",
      );
    }
    this.#staged.push(effect);
  }

  async startCase(start: NewCase): Promise<InsertReply> {
    const found = this.#cases.findStart(start);
    if (found !== null) return found;
    this.stage(() => this.#cases.insertCase(start));
    return { kind: "started" };
  }

  async changeCase<Reply>(
    caseId: string,
    change: ChangeId,
    decide: Decide<Reply>,
  ): Promise<ChangeReply<Reply> | null> {
    // Judged again with the commit: nobody has the lock of the other case meanwhile.
    this.stage(() => this.#cases.changeCase(caseId, change, decide));
    return this.#cases.tryChange(caseId, change, decide);
  }

  async query(): Promise<never> {
    throw new FootholdError(
      "INVALID_REQUEST",
      "The memory store has no SQL. In tests, send to a fake destination with the transaction instead.",
    );
  }

  async commit(commit: HolderCommit): Promise<HolderReply> {
    if (this.#isOver) return { kind: "claimLost" };
    this.#isOver = true;
    const reply = this.#store(commit);
    if (reply.kind === "current" || reply.kind === "moved") for (const effect of this.#staged) effect();
    return reply;
  }

  async rollBack(): Promise<void> {
    this.#isOver = true;
    this.#staged = [];
  }
}
