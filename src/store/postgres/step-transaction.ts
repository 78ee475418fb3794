/**
 * Transactions in which steps write. What a step writes and what confirms it are one commit: a late worker is refused at the
 * door and all of it is rolled back; there is nothing to find out afterwards.
 */

import { FootholdError, invariant } from "../../core/errors.ts";
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
import { changeCaseIn } from "./change-case.ts";
import { judgeLocked } from "./commit.ts";
import type { Database, LentSession, Session } from "./database.ts";
import { DriverFault, isDataFault, sayFault } from "./failures.ts";
import type { Hinting } from "./listener.ts";
import { startCaseIn } from "./starts.ts";

/**
 * Commands that would end the transaction, or begin another, behind the back of the commit that confirms the step; and those
 * that would outlive it on a connection that serves others next (`set local` and `set constraints` do not).
 */
const BLANKS = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)*/.source;
const ENDS = /begin|start|commit|end|rollback|abort|prepare\s+transaction/.source;
const OUTLIVES = /set\s+(?!local\b|constraints\b|transaction\b)\w+|reset|discard|listen/.source;
const CONTROL = new RegExp(`${BLANKS}(?:${ENDS}|${OUTLIVES})\\b`, "i");

/** Begins one. */
export async function beginStep(database: Database, hinting: Hinting): Promise<StepTransaction> {
  const lent = await database.lend();
  try {
    const [begun] = await lent.session.sendAll<{ readonly pid: number }>(database.text("begin_step"));
    invariant(begun !== undefined, "begin_step returned no row");
    return new LentTransaction(database, hinting, lent, begun.pid);
  } catch (error) {
    lent.session.isBroken = true;
    lent.end();
    throw error;
  }
}

class LentTransaction implements StepTransaction {
  readonly #database: Database;
  readonly #hinting: Hinting;
  readonly #lent: LentSession;
  readonly #processId: number;
  #isOver = false;
  /** True once a case is due by what was written. */
  #isDue = false;
  #running = 0;

  constructor(database: Database, hinting: Hinting, lent: LentSession, processId: number) {
    this.#database = database;
    this.#hinting = hinting;
    this.#lent = lent;
    this.#processId = processId;
  }

  startCase(start: NewCase): Promise<InsertReply> {
    return this.#own(() => startCaseIn(this.#lent.session, this.#hinting, start));
  }

  changeCase<Reply>(
    caseId: string,
    change: ChangeId,
    decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
  ): Promise<ChangeReply<Reply> | null> {
    return this.#own(() => changeCaseIn(this.#hinting, this.#lent.session, { caseId, change, decide }));
  }

  /** Writes what is the engine's own. */
  #own<Reply>(write: () => Promise<{ readonly reply: Reply; readonly isDue: boolean }>): Promise<Reply> {
    return this.#database.guarded(async () => {
      if (this.#isOver) throw refused("the transaction of this step is over: nothing more is written in it");
      this.#running += 1;
      try {
        const { reply, isDue } = await write();
        this.#isDue ||= isDue;
        return reply;
      } finally {
        this.#running -= 1;
      }
    });
  }

  async query(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number }> {
    if (this.#isOver) throw refused("the transaction of this step is over: nothing more is written in it");
    if (CONTROL.test(text)) {
      throw refused(
        "a step must neither begin or end a transaction nor change the session: what it writes is committed with its " +
          "confirmation, and the connection serves others next",
      );
    }
    this.#running += 1;
    try {
      const { rows, rowCount } = await this.#lent.session.foreign(text, values);
      return { rows, rowCount: rowCount ?? 0 };
    } finally {
      this.#running -= 1;
    }
  }

  commit(commit: HolderCommit): Promise<HolderReply> {
    return this.#database.guarded(async () => {
      if (this.#isOver) return { kind: "claimLost" };
      this.#isOver = true;
      const { session } = this.#lent;
      try {
        await session.send(this.#database.text("confirm_step"));
        const reply = await judgeLocked(session, commit);
        if (reply.kind === "current" || reply.kind === "moved") {
          await session.send("commit");
          if (this.#isDue) this.#hinting.hint();
        } else await session.takeBack();
        return reply;
      } catch (error) {
        await session.takeBack();
        if (isDataFault(error)) return { kind: "refused", why: sayFault(error) };
        throw error;
      } finally {
        this.#lent.end();
      }
    });
  }

  async rollBack(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const { session } = this.#lent;
    if (this.#running === 0) await session.takeBack();
    else await this.#cut(session);
    this.#lent.end();
  }

  /** A statement of a step that did not heed its signal still runs: the server is told to end it, and nothing waits for it. */
  async #cut(session: Session): Promise<void> {
    session.isBroken = true;
    try {
      await this.#database.run("cancel_statement", [this.#processId]);
    } catch (error) {
      // Nothing of it can be committed any more; it ends by the time limit that the transaction was begun with.
      if (!(error instanceof DriverFault)) throw error;
    }
  }
}

function refused(why: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", `This statement was refused: ${why}.`);
}
