/** Every line of the log, by its stable name: how much it matters, and what it tells. The page is docs/reference/logs.md. */

/** How much a line matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** From the least to the most. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The stable name of what happened: programs branch on it. */
export type LogEvent =
  | "started"
  | "stopping"
  | "casesClaimed"
  | "caseReleased"
  | "attemptSucceeded"
  | "attemptFailed"
  | "claimLost"
  | "claimFreed"
  | "holderEnded"
  | "holderFreed"
  | "lateReport"
  | "lateRequest"
  | "caseUnreadable"
  | "databaseAway"
  | "databaseBack"
  | "eventWorked"
  | "eventNeedsSomebody"
  | "inboxSwept"
  | "listRead"
  | "inboxFault"
  | "ownerTold"
  | "ownerUnknown"
  | "noticeUndeliverable"
  | "rotaSilent"
  | "noticeFault"
  | "serverFault"
  | "engineFault"
  | "repeated";

/** What may stand in a line beside its name and sentence: names, ids, numbers. No input, result, header or body of anything. */
export interface LogFacts {
  readonly caseId?: string;
  readonly caseIds?: readonly string[];
  readonly caseType?: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly destination?: string;
  readonly claimId?: string;
  readonly holderId?: string;
  readonly nextHolderId?: string;
  readonly holder?: string;
  readonly state?: string;
  readonly dueAt?: string;
  readonly why?: string;
  readonly took?: string;
  readonly durationMs?: number;
  readonly requests?: number;
  readonly failureKind?: string;
  readonly executed?: string;
  readonly method?: string;
  readonly origin?: string;
  readonly during?: string;
  readonly eventId?: string;
  readonly source?: string;
  readonly consumer?: string;
  readonly owner?: string;
  readonly channel?: string;
  readonly messageId?: string;
  readonly noticeId?: string;
  readonly places?: number;
  readonly freed?: number;
  readonly expired?: number;
  readonly items?: number;
  readonly missed?: number;
  readonly command?: string;
  readonly version?: string;
  readonly worker?: string;
  readonly url?: string;
  readonly database?: string;
  readonly caseTypes?: readonly string[];
  readonly signal?: string;
  /** Which event was repeated, and how often it was left out. */
  readonly of?: LogEvent;
  readonly count?: number;
  readonly error?: LoggedError;
}

/** An error as a line tells it; secrets are masked. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}

/** One line. */
export interface LogEntry {
  readonly event: LogEvent;
  readonly sentence: string;
  readonly facts: LogFacts;
}

interface EventWords {
  readonly level: LogLevel;
  readonly help: string;
}

/** All of them, in the order of their page. */
export const LOG_EVENTS: { readonly [Event in LogEvent]: EventWords } = {
  started: {
    level: "info",
    help: "The process is up: its command, version, database, case types and address.",
  },
  stopping: { level: "info", help: "A signal came; what runs is finished first." },
  casesClaimed: { level: "debug", help: "A worker took cases." },
  caseReleased: {
    level: "debug",
    help: "A worker let go of a case: its state, and when it is due.",
  },
  attemptSucceeded: { level: "debug", help: "A step took effect." },
  attemptFailed: {
    level: "info",
    help: "An attempt failed: why, and whether it happened. What follows is in the case.",
  },
  claimLost: { level: "warn", help: "A worker lost its claim while it worked; another one goes on." },
  claimFreed: {
    level: "warn",
    help: "A claim was freed, because its holder was silent, too slow, or did not know of it.",
  },
  holderEnded: { level: "warn", help: "This worker was taken for lost, and goes on under a new id." },
  holderFreed: { level: "warn", help: "A worker fell silent, and its cases were freed." },
  lateReport: {
    level: "warn",
    help: "An attempt ended after its claim was lost; what it did is kept with the case.",
  },
  lateRequest: {
    level: "warn",
    help: "A request was sent after its attempt had ended: the code of the step goes on by itself.",
  },
  caseUnreadable: { level: "error", help: "The journal of a case cannot be read; it stands in review." },
  databaseAway: { level: "error", help: "The database does not answer; told once until it does." },
  databaseBack: { level: "info", help: "The database answers again." },
  eventWorked: { level: "debug", help: "The work of an event was done, waits, or needs somebody." },
  eventNeedsSomebody: { level: "warn", help: "The work of an event ended in review." },
  inboxSwept: { level: "info", help: "Work of events was freed or is overdue." },
  listRead: { level: "info", help: "A provider's list was read to its end." },
  inboxFault: {
    level: "error",
    help: "Something of ours failed in the inbox; senders are asked to come again.",
  },
  ownerTold: { level: "info", help: "An owner is told." },
  ownerUnknown: { level: "warn", help: "Nobody answers to the name of an owner." },
  noticeUndeliverable: { level: "error", help: "A message to an owner could not be delivered." },
  rotaSilent: { level: "warn", help: "A rota did not say who is on duty; its fallback is told." },
  noticeFault: { level: "error", help: "Telling owners failed." },
  serverFault: { level: "error", help: "The server, or a task beside it, could not answer for something." },
  engineFault: { level: "error", help: "A fault in Foothold: please report it." },
  repeated: {
    level: "warn",
    help: "Lines that were left out, because the same came more than five times within ten seconds.",
  },
};
