/** How a step talks to the destination of its kind: what it sends, asks, and writes on condition of. */

import { z } from "zod";
import { didNotHappen, differs, happened, type CheckReply } from "../../src/define/answers.ts";
import type { CheckContext, ProbeContext, RunContext } from "../../src/define/case-type.ts";
import { expectOk } from "../../src/triage/response.ts";
import type { StepName } from "./case-types.ts";

/** What the destination has made. */
export interface Made {
  readonly id: string;
}

/** What sending needs of the context of `run`. */
export type SendContext = Pick<
  RunContext,
  "caseId" | "idempotencyKey" | "fencingToken" | "fingerprint" | "version" | "transaction" | "signal"
>;
/** What asking needs of the context of `check`. */
export type AskContext = Pick<CheckContext, "idempotencyKey" | "fencingToken" | "fingerprint" | "signal">;
/** What reading a version needs. */
export type VersionContext = Pick<ProbeContext, "caseId" | "signal">;

const made = z.object({ id: z.string(), fingerprint: z.string().nullish() });

/** Sends a step's request; every header is sent to every kind, which heeds what it can. */
export async function sendTo(
  url: string,
  caseType: string,
  step: StepName,
  { idempotencyKey, fencingToken, fingerprint, version, signal }: SendContext,
): Promise<Made> {
  const response = await fetch(`${url}/${caseType}/${step}`, {
    method: "POST",
    headers: {
      "idempotency-key": idempotencyKey,
      "fencing-token": String(fencingToken),
      fingerprint,
      ...(version === "" ? {} : { "if-match": version }),
    },
    signal,
  });
  const { id } = made.parse(await (await expectOk(response)).json());
  return { id };
}

/** Has its effect in the database itself: a row, and no rule there that would keep a second one out. */
export async function writeEffect({ idempotencyKey, fencingToken, transaction }: SendContext): Promise<Made> {
  await transaction.query("insert into public.effects (key, token) values ($1, $2)", [
    idempotencyKey,
    fencingToken,
  ]);
  return { id: `${idempotencyKey} ${fencingToken}` };
}

/** Asks whether it happened; at a fence the question raises it. */
export async function askFor(
  url: string,
  caseType: string,
  { idempotencyKey, fencingToken, fingerprint, signal }: AskContext,
): Promise<CheckReply<Made>> {
  const query = `type=${caseType}&token=${fencingToken}`;
  const response = await fetch(`${url}/effects/${idempotencyKey}?${query}`, { signal });
  if (response.status === 404) {
    await response.text();
    return didNotHappen();
  }
  const found = made.parse(await (await expectOk(response)).json());
  if (found.fingerprint !== fingerprint) return differs(`${found.id} was made from another request`);
  return happened({ id: found.id }, { seenAs: found.id });
}

/** Reads the version that a write is conditional on. */
export async function readVersion(
  url: string,
  step: StepName,
  { caseId, signal }: VersionContext,
): Promise<string> {
  const response = await expectOk(await fetch(`${url}/versions/${caseId}.${step}`, { signal }));
  return response.text();
}
