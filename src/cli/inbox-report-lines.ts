/** What the inbox tells, as lines on stderr: only what somebody may want to act on. */

import { unreachable } from "../core/errors.ts";
import type { InboxReport, OnInboxReport } from "../inbox/report.ts";
import { warn } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Prints reports. That the database is away is told once, not with every request. */
export function inboxReportLines(now: () => number): OnInboxReport {
  const away = new Set<string>();
  return (report) => {
    if (report.kind === "databaseAway") {
      if (away.has(report.during)) return;
      away.add(report.during);
    }
    if (report.kind === "databaseBack") away.clear();
    warn(`${formatTime(now())} ${sayReport(report)}`);
  };
}

function sayReport(report: InboxReport): string {
  switch (report.kind) {
    case "fault": {
      const told = report.during.startsWith("receiving") ? ", and the sender is asked to come again" : "";
      return `${report.during} failed${told}: ${sayError(report.error)}`;
    }
    case "databaseAway":
      return `the database does not answer (${report.during}): ${sayError(report.error)}`;
    case "databaseBack":
      return `the database answers again (${report.during})`;
    case "workInReview":
      return `event ${report.eventId} (${report.consumer}) needs a person: ${report.sentence}`;
    case "swept":
      return `the inbox: ${report.freed} claims freed, ${report.expired} pieces of work overdue`;
    case "reconciled":
      return `the list of ${report.source} was read: ${report.items} events, ${report.missed} of them new`;
    default:
      return unreachable(report, "report of the inbox");
  }
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
