/** The proof of the demonstration: what the ERP's own ledger says, next to what was approved. Pure. */

/** A request that was approved, and where it stands in the ledger. */
export interface ApprovedRequest {
  readonly caseId: string;
  readonly name: string;
}

/** One effect in a ledger, as far as the proof looks at it. */
export interface LedgerRecord {
  readonly path: string;
  readonly step: { readonly caseId: string };
}

/** Compares; the ledger is the ERP's, so nothing here rests on what the engine believes. */
export function proofLine(approved: readonly ApprovedRequest[], ledger: readonly LedgerRecord[]): string {
  const counted = approved.map(({ caseId, name }) => ({
    name,
    count: ledger.filter(({ path, step }) => path === "/records" && step.caseId === caseId).length,
  }));
  const records = counted.reduce((sum, { count }) => sum + count, 0);
  const odd = counted
    .filter(({ count }) => count !== 1)
    .map(({ name, count }) => `${name} has ${count || "none"}`);
  const verdict = odd.length === 0 ? "each once" : odd.join(", ");
  return `ERP ledger: ${plural(records, "record")} for ${plural(approved.length, "approved request")}, ${verdict}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
