/** What goes wrong goes to stderr. */

import { isFootholdError, type Report } from "foothold";

let isDatabaseAway = false;

/** What goes wrong in the engine itself; all else is told from the journals. */
export function tellTrouble(report: Report): void {
  switch (report.kind) {
    case "bug":
    case "unreadable":
      tellError(report.error);
      return;
    case "databaseAway":
      // Told once: it comes with every try.
      if (!isDatabaseAway) tellError(report.error);
      isDatabaseAway = true;
      return;
    case "lateRequest":
      tellError(`${report.step} of case ${report.caseId} sent a request after its attempt had ended`);
      return;
    case "databaseBack":
      isDatabaseAway = false;
      return;
    case "claimed":
    case "attempted":
    case "released":
    case "claimLost":
    case "lateReport":
    case "holderEnded":
    case "holderFreed":
    case "claimFreed":
      return;
  }
}

/** An error of any kind, in one line. */
export function tellError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${isFootholdError(error) ? `${error.code}: ` : ""}${message}\n`);
}
