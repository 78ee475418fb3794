/** What traces are told of what people and programs do to a case. */

import type { Ports } from "../core/ports.ts";
import { untraced } from "../core/tracing.ts";
import type { InsertReply, NewCase } from "../store/port.ts";

/** Stores a new case, and follows it. */
export function followStart(
  { tracing = untraced }: Ports,
  { caseId, caseType, definitionVersion }: NewCase["identity"],
  insert: () => Promise<InsertReply>,
): Promise<InsertReply> {
  const facts = { "foothold.case.type": caseType, "foothold.case.version": definitionVersion };
  const work = { name: `start ${caseType}`, of: { kind: "case", caseId }, facts } as const;
  return tracing.follow(work, insert, (reply) => ({
    facts: { "foothold.outcome": reply.kind },
    // It was not started: another case has its key.
    related: reply.kind === "exists" ? [{ kind: "case", caseId: reply.caseId }] : [],
  }));
}

/** Changes a case by an act, and follows it. */
export function followChange<Reply extends { readonly outcome: string }>(
  { tracing = untraced }: Ports,
  caseId: string,
  change: () => Promise<Reply>,
): Promise<Reply> {
  const work = { name: "change", of: { kind: "case", caseId }, facts: {} } as const;
  return tracing.follow(work, change, ({ outcome }) => ({ facts: { "foothold.outcome": outcome } }));
}
