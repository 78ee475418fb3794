/**
 * The way to the one door: commits of many cases go in one statement when many are in flight, while a lone one goes at
 * once. Batches grow by themselves: whatever queued up while the last statements ran goes with the next; no timer.
 * A commit whose reply is lost is sent again with the same id until it is answered (R3): what was sent to a destination
 * must not be forgotten because the database is away. A case has one commit in flight, so the queue is bounded by the
 * cases that the worker holds.
 */

import { isFootholdError } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";
import { COMMIT_BATCH_MAX, type HolderCommit, type HolderReply, type Store } from "../store/port.ts";

/** Statements under way at once: one more than one, so that the next batch is built while the last is answered. */
const FLUSHES_MAX = 2;
/** First delay before a commit is sent again, in ms; doubled up to the cap. */
const RESEND_MS_FIRST = 50;
/** Cap of that delay, in ms. */
const RESEND_MS_MAX = 2_000;

interface Queued {
  readonly commit: HolderCommit;
  readonly answer: (reply: HolderReply) => void;
  readonly fail: (error: unknown) => void;
}

/** Sends holders' commits to the store. */
export class Committer {
  readonly #store: Pick<Store, "commit" | "findCommit">;
  readonly #clock: Clock;
  /** Aborts when commits must no longer be sent again: the process gives up. */
  readonly #giveUp: AbortSignal;
  /** Told with each try that finds the database away, and with null when it has answered. */
  readonly #onAnswer: (away: unknown) => void;
  readonly #queue: Queued[] = [];
  #flushes = 0;

  constructor(
    store: Pick<Store, "commit" | "findCommit">,
    clock: Clock,
    giveUp: AbortSignal,
    onAnswer: (away: unknown) => void = () => undefined,
  ) {
    this.#onAnswer = onAnswer;
    this.#store = store;
    this.#clock = clock;
    this.#giveUp = giveUp;
  }

  /** Resolves when the store has answered, however long that takes; rejects for a bug, or when the process gives up. */
  commit(commit: HolderCommit): Promise<HolderReply> {
    return new Promise((answer, fail) => {
      this.#queue.push({ commit, answer, fail });
      // What was answered in the same breath goes on in the same breath: it makes one batch.
      queueMicrotask(() => this.#flush());
    });
  }

  /**
   * What became of a commit whose reply was lost; null = it was not stored. Resolves when the store has answered, however
   * long that takes; rejects when the process gives up.
   */
  async find(commit: HolderCommit): Promise<Extract<HolderReply, { kind: "repeated" }> | null> {
    let delayMs = RESEND_MS_FIRST;
    for (;;) {
      try {
        return await this.#store.findCommit(commit);
      } catch (error) {
        if (!isAway(error) || this.#giveUp.aborted) throw error;
        await this.#clock.sleep(delayMs, this.#giveUp);
        delayMs = Math.min(RESEND_MS_MAX, delayMs * 2);
      }
    }
  }

  #flush(): void {
    while (this.#flushes < FLUSHES_MAX && this.#queue.length > 0) {
      const batch = this.#queue.splice(0, COMMIT_BATCH_MAX);
      this.#flushes += 1;
      void this.#send(batch).finally(() => {
        this.#flushes -= 1;
        this.#flush();
      });
    }
  }

  async #send(batch: readonly Queued[]): Promise<void> {
    let delayMs = RESEND_MS_FIRST;
    for (;;) {
      try {
        const replies = await this.#store.commit(batch.map(({ commit }) => commit));
        this.#onAnswer(null);
        batch.forEach((one, index) => settle(one, replies[index]));
        return;
      } catch (error) {
        if (!isAway(error) || this.#giveUp.aborted) {
          await this.#fail(batch, error);
          return;
        }
        this.#onAnswer(error);
        await this.#clock.sleep(delayMs, this.#giveUp);
        delayMs = Math.min(RESEND_MS_MAX, delayMs * 2);
      }
    }
  }

  /** Whatever is wrong with one commit must not fail the others of its batch (R9): each is sent again alone. */
  async #fail(batch: readonly Queued[], error: unknown): Promise<void> {
    if (batch.length === 1 || this.#giveUp.aborted) for (const one of batch) one.fail(error);
    else for (const one of batch) await this.#send([one]);
  }
}

function isAway(error: unknown): boolean {
  return isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
}

function settle({ answer, fail, commit }: Queued, reply: HolderReply | undefined): void {
  if (reply === undefined) fail(new Error(`the store gave no reply to commit ${commit.commitId}`));
  else answer(reply);
}
