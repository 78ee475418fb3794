/** What the engine tells, as lines on stderr: only what somebody may want to act on. */

import { unreachable } from "../core/errors.ts";
import type { OnReport, Report } from "../engine/report.ts";
import { warn } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Prints reports. That the database is away is told once, not with every try. */
export function reportLines(now: () => number): OnReport {
  const away = new Set<string>();
  return (report) => {
    if (report.kind === "databaseAway") {
      if (away.has(report.during)) return;
      away.add(report.during);
    }
    if (report.kind === "databaseBack") away.delete(report.during);
    const line = sayReport(report);
    if (line !== null) warn(`${formatTime(now())} ${line}`);
  };
}

/** One report in words; null = nothing to act on. */
function sayReport(report: Report): string | null {
  switch (report.kind) {
    case "claimed":
    case "released":
      return null;
    case "claimLost":
      return `${report.caseId}: the claim was lost; another worker goes on with it`;
    case "lateReport": {
      const took = report.took === "effect" ? "it took effect" : "it had no effect";
      return `${report.caseId}: late report on attempt ${report.attempt} of ${report.step}: ${took}`;
    }
    case "lateRequest": {
      const { caseId, step, attempt, method, origin, isSure } = report;
      const sent = isSure ? "was sent" : "was sent, or another step's through a shared queue,";
      return `${caseId}: ${method} to ${origin ?? "somewhere"} ${sent} after attempt ${attempt} of ${step} had ended`;
    }
    case "holderEnded":
      return `this worker was taken for lost (${report.holderId}); it goes on as ${report.nextHolderId}`;
    case "holderFreed":
      return `${report.name} fell silent; freed ${report.caseIds.length} of its cases`;
    case "claimFreed":
      return `${report.caseId}: freed, ${sayWhy(report.why)}`;
    case "databaseAway":
      return `the database does not answer (${report.during}): ${sayCause(report.error)}`;
    case "databaseBack":
      return `the database answers again (${report.during})`;
    case "unreadable":
      return `${report.caseId}: cannot be read: ${sayCause(report.error)}`;
    case "bug":
      return `${report.caseId ?? "the engine"}: a fault in Foothold, please report it: ${sayCause(report.error)}`;
    default:
      return unreachable(report, "report");
  }
}

function sayWhy(why: Extract<Report, { kind: "claimFreed" }>["why"]): string {
  switch (why) {
    case "silent":
      return "its holder gave no sign of life";
    case "actBy":
      return "its holder committed nothing for too long";
    case "orphaned":
      return "its holder did not know of it";
    default:
      return unreachable(why, "reason");
  }
}

function sayCause(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
