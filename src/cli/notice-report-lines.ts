/** What telling owners tells, as lines on stderr. */

import { unreachable } from "../core/errors.ts";
import type { NoticeReport, OnNoticeReport } from "../notices/report.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { warn } from "./terminal.ts";
import { formatTime } from "./times.ts";

/** Prints reports. */
export function noticeReportLines(now: () => number): OnNoticeReport {
  return (report) => warn(`${formatTime(now())} ${sayReport(report)}`);
}

function sayReport(report: NoticeReport): string {
  switch (report.kind) {
    case "told":
      return `${report.owner} is told at ${report.places} ${report.places === 1 ? "place" : "places"}: ${report.title}`;
    case "nobody":
      return (
        `nobody answers to the owner ${report.owner}, who is needed: ${report.title}. ` +
        `Name them under \`notices\` of the configuration; see: ${SPOKEN_NAME} owners`
      );
    case "undeliverable":
      return (
        `a notice to ${report.target.whom} could not be delivered by ${report.target.channel}: ${report.sentence} ` +
        `Once that is mended: ${SPOKEN_NAME} notices retry ${report.messageId}`
      );
    case "rota":
      return `the rota of ${report.owner} did not say who is on duty (${report.why}); its fallback is told`;
    case "fault":
      return `telling owners failed: ${sayError(report.error)}`;
    case "databaseAway":
      return `the database does not answer (telling owners): ${sayError(report.error)}`;
    case "databaseBack":
      return "the database answers again (telling owners)";
    default:
      return unreachable(report, "report of notices");
  }
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
