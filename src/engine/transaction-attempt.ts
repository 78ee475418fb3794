/**
 * One send to the engine's own database: the step writes in a transaction that stays open until the commit that confirms it.
 * Whatever else becomes of it is rolled back, so a failed attempt surely did not happen.
 */

import type { SendOutcome } from "../core/decide.ts";
import { isFootholdError } from "../core/errors.ts";
import { failureOf, type Failure } from "../core/failure.ts";
import type { ChildCalls } from "../define/child-calls.ts";
import type { StepTransaction, Store } from "../store/port.ts";
import { makeAttempt, type AttemptContext, type AttemptEnd, type AttemptInput } from "./attempt.ts";

/** How such a send ended. `open`: what it wrote waits for the commit that confirms it. */
export interface TransactionEnd extends AttemptEnd {
  readonly open?: StepTransaction;
}

/** Makes the send and tells how it ended. Never throws for anything that the author's code or the database does. */
export async function makeTransactionAttempt(
  context: AttemptContext,
  store: Pick<Store, "begin">,
  input: Omit<AttemptInput, "transaction" | "onLateSuccess" | "childCalls">,
  callsIn: (open: StepTransaction) => ChildCalls | null,
): Promise<TransactionEnd> {
  const begun = await begin(store);
  if ("failure" in begun) return { outcome: { kind: "failed", failure: begun.failure }, isOver: true };
  const { open } = begun;
  // What ends well after it was given up is rolled back all the same: there is nothing to report.
  const end = await makeAttempt(context, {
    ...input,
    transaction: open,
    childCalls: callsIn(open) ?? undefined,
    onLateSuccess: () => undefined,
  });
  if (end.outcome.kind === "succeeded") return { ...end, open };
  await open.rollBack();
  return { outcome: withoutEffect(end.outcome), isOver: true };
}

async function begin(
  store: Pick<Store, "begin">,
): Promise<{ readonly open: StepTransaction } | { readonly failure: Failure }> {
  try {
    return { open: await store.begin() };
  } catch (error) {
    if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") throw error;
    return { failure: rolledBack("could not begin", error.message) };
  }
}

/** Why a transaction was not stored. */
export function rolledBack(what: string, why: string): Failure {
  return failureOf({
    cause: "transient",
    executed: "no",
    confidence: "proved",
    rule: "transaction.rolledBack",
    sentence: `The transaction ${what}, and all of it was rolled back: ${why}`,
  });
}

function withoutEffect(outcome: Extract<SendOutcome, { kind: "failed" }>): SendOutcome {
  const { failure } = outcome;
  return { ...outcome, failure: failureOf({ ...failure, executed: "no", confidence: "proved" }) };
}
