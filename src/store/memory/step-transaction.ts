/** Transactions of steps in memory: what is staged in one is done with the commit that confirms the step, or not at all. */

import { FootholdError } from "../../core/errors.ts";
import type { HolderCommit, HolderReply, StepTransaction } from "../port.ts";

/** A transaction in memory. */
export class MemoryTransaction implements StepTransaction {
  readonly #store: (commit: HolderCommit) => HolderReply;
  #staged: (() => void)[] = [];
  #isOver = false;

  constructor(store: (commit: HolderCommit) => HolderReply) {
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
