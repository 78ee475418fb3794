/** What the engine tells, as lines of the log. */

import { unreachable } from "../core/errors.ts";
import { formatUtc } from "../core/utc-time.ts";
import type { Report } from "../engine/report.ts";
import { errorMessage, loggedError } from "./log-error.ts";
import type { LogEntry } from "./log-events.ts";

/** One report as a line. */
export function engineEntry(report: Report): LogEntry {
  switch (report.kind) {
    case "claimed": {
      const { caseIds } = report;
      return { event: "casesClaimed", sentence: `took ${sayCases(caseIds.length)}`, facts: { caseIds } };
    }
    case "released": {
      const { caseId, state, dueAt } = report;
      const facts = { caseId, state, ...(dueAt === null ? {} : { dueAt: formatUtc(dueAt) }) };
      return { event: "caseReleased", sentence: `${caseId}: ${state}`, facts };
    }
    case "attempted":
      return attemptEntry(report);
    case "claimLost": {
      const { caseId, claimId } = report;
      const sentence = `${caseId}: the claim was lost; another worker goes on with it`;
      return { event: "claimLost", sentence, facts: { caseId, claimId } };
    }
    case "lateReport": {
      const { caseId, step, attempt, took } = report;
      const what = took === "effect" ? "it took effect" : "it had no effect";
      const sentence = `${caseId}: late report on attempt ${attempt} of ${step}: ${what}`;
      return { event: "lateReport", sentence, facts: { caseId, step, attempt, took } };
    }
    case "lateRequest":
      return lateRequestEntry(report);
    case "holderEnded": {
      const { holderId, nextHolderId } = report;
      const sentence = `this worker was taken for lost (${holderId}); it goes on as ${nextHolderId}`;
      return { event: "holderEnded", sentence, facts: { holderId, nextHolderId } };
    }
    case "holderFreed": {
      const { holderId, name: holder, caseIds } = report;
      const sentence = `${holder} fell silent; freed ${caseIds.length} of its cases`;
      return { event: "holderFreed", sentence, facts: { holderId, holder, caseIds } };
    }
    case "claimFreed": {
      const { caseId, claimId, why } = report;
      return {
        event: "claimFreed",
        sentence: `${caseId}: freed, ${sayWhy(why)}`,
        facts: { caseId, claimId, why },
      };
    }
    case "databaseAway":
      return awayEntry(report.during, report.error);
    case "databaseBack":
      return backEntry(report.during);
    case "unreadable": {
      const { caseId, error } = report;
      const sentence = `${caseId}: cannot be read: ${errorMessage(error)}`;
      return { event: "caseUnreadable", sentence, facts: { caseId, error: loggedError(error, false) } };
    }
    case "bug": {
      const { caseId, error } = report;
      return {
        event: "engineFault",
        sentence: `${caseId ?? "the engine"}: a fault in Foothold, please report it: ${errorMessage(error)}`,
        facts: { ...(caseId === null ? {} : { caseId }), error: loggedError(error, true) },
      };
    }
    default:
      return unreachable(report, "report");
  }
}

/** That the database is away, whoever noticed. */
export function awayEntry(during: string, error: unknown): LogEntry {
  const sentence = `the database does not answer (${during}): ${errorMessage(error)}`;
  return { event: "databaseAway", sentence, facts: { during, error: loggedError(error, false) } };
}

/** That it is back. */
export function backEntry(during: string): LogEntry {
  return {
    event: "databaseBack",
    sentence: `the database answers again (${during})`,
    facts: { during },
  };
}

function attemptEntry(report: Extract<Report, { kind: "attempted" }>): LogEntry {
  const { caseId, caseType, step, attempt, destination, claimId, durationMs, requests, failure } = report;
  const facts = {
    caseId,
    caseType,
    step,
    attempt,
    destination,
    claimId,
    durationMs: Math.round(durationMs),
    ...(requests === null ? {} : { requests }),
  };
  const what = `${caseId}: attempt ${attempt} of ${step} at ${destination}`;
  if (failure === null) return { event: "attemptSucceeded", sentence: `${what} succeeded`, facts };
  const { kind: failureKind, executed, sentence } = failure;
  return {
    event: "attemptFailed",
    sentence: `${what} failed (${failureKind}): ${sentence}`,
    facts: { ...facts, failureKind, executed },
  };
}

function lateRequestEntry(report: Extract<Report, { kind: "lateRequest" }>): LogEntry {
  const { caseId, step, attempt, method, origin, isSure } = report;
  const sent = isSure ? "was sent" : "was sent, or another step's through a shared queue,";
  return {
    event: "lateRequest",
    sentence: `${caseId}: ${method} to ${origin ?? "somewhere"} ${sent} after attempt ${attempt} of ${step} had ended`,
    facts: { caseId, step, attempt, method, ...(origin === null ? {} : { origin }) },
  };
}

function sayCases(count: number): string {
  return count === 1 ? "1 case" : `${count} cases`;
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
