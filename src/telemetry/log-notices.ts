/** What telling owners tells, as lines of the log. */

import { unreachable } from "../core/errors.ts";
import type { NoticeReport } from "../notices/report.ts";
import { awayEntry, backEntry } from "./log-engine.ts";
import { errorMessage, loggedError } from "./log-error.ts";
import type { LogEntry } from "./log-events.ts";

const DURING = "telling owners";

/** One report as a line; `program` is how a person calls the command line here. */
export function noticeEntry(report: NoticeReport, program: string): LogEntry {
  switch (report.kind) {
    case "told": {
      const { noticeId, owner, places, why, title } = report;
      const sentence = `${owner} is told at ${places} ${places === 1 ? "place" : "places"}: ${title}`;
      return { event: "ownerTold", sentence, facts: { noticeId, owner, places, why } };
    }
    case "nobody": {
      const { owner, title } = report;
      const sentence =
        `nobody answers to the owner ${owner}, who is needed: ${title}. ` +
        `Name them under \`notices\` of the configuration; see: ${program} owners`;
      return { event: "ownerUnknown", sentence, facts: { owner } };
    }
    case "undeliverable": {
      const { messageId, target } = report;
      const sentence =
        `a notice to ${target.whom} could not be delivered by ${target.channel}: ${report.sentence} ` +
        `Once that is mended: ${program} notices retry ${messageId}`;
      return { event: "noticeUndeliverable", sentence, facts: { messageId, channel: target.channel } };
    }
    case "rota": {
      const { owner, why } = report;
      const sentence = `the rota of ${owner} did not say who is on duty (${why}); its fallback is told`;
      return { event: "rotaSilent", sentence, facts: { owner } };
    }
    case "fault": {
      const { error } = report;
      const sentence = `telling owners failed: ${errorMessage(error)}`;
      return { event: "noticeFault", sentence, facts: { during: DURING, error: loggedError(error, true) } };
    }
    case "databaseAway":
      return awayEntry(DURING, report.error);
    case "databaseBack":
      return backEntry(DURING);
    default:
      return unreachable(report, "report of notices");
  }
}
