/** What the inbox tells, as lines of the log. */

import { unreachable } from "../core/errors.ts";
import type { InboxReport } from "../inbox/report.ts";
import { awayEntry, backEntry } from "./log-engine.ts";
import { errorMessage, loggedError } from "./log-error.ts";
import type { LogEntry } from "./log-events.ts";

/** One report as a line. */
export function inboxEntry(report: InboxReport): LogEntry {
  switch (report.kind) {
    case "fault": {
      const { during, error } = report;
      const told = during.startsWith("receiving") ? ", and the sender is asked to come again" : "";
      const sentence = `${during} failed${told}: ${errorMessage(error)}`;
      return { event: "inboxFault", sentence, facts: { during, error: loggedError(error, true) } };
    }
    case "databaseAway":
      return awayEntry(report.during, report.error);
    case "databaseBack":
      return backEntry(report.during);
    case "worked": {
      const { eventId, source, consumer, state, caseIds } = report;
      const sentence = `event ${eventId} (${consumer}): ${state}`;
      return { event: "eventWorked", sentence, facts: { eventId, source, consumer, state, caseIds } };
    }
    case "workInReview": {
      const { eventId, consumer } = report;
      const sentence = `event ${eventId} (${consumer}) needs a person: ${report.sentence}`;
      return { event: "eventNeedsSomebody", sentence, facts: { eventId, consumer } };
    }
    case "swept": {
      const { freed, expired } = report;
      const sentence = `the inbox: ${freed} claims freed, ${expired} pieces of work overdue`;
      return { event: "inboxSwept", sentence, facts: { freed, expired } };
    }
    case "reconciled": {
      const { source, items, missed } = report;
      const sentence = `the list of ${source} was read: ${items} events, ${missed} of them new`;
      return { event: "listRead", sentence, facts: { source, items, missed } };
    }
    default:
      return unreachable(report, "report of the inbox");
  }
}
