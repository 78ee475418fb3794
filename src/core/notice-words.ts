/**
 * What a notice says. It is made of names from definitions and of numbers alone: what destinations, inputs and people
 * said stays behind the link, where rights and masks apply to it.
 */

import type { ReviewReason } from "./journal.ts";
import type { NoticeSubject, OpenMatter, TellReason } from "./notices.ts";

/** What one message tells. Times are epoch ms. */
export interface NoticeContent {
  readonly why: TellReason | "over" | "test";
  readonly owner: string;
  /** A few words, fit for a subject line. */
  readonly title: string;
  /** One plain sentence. */
  readonly sentence: string;
  /** Of the cases that nobody deals with yet; null in what tells of none. */
  readonly about: NoticeCounts | null;
  /** What is counted, where it is no cases. */
  readonly of?: "events";
  /** Where the console shows the cases. */
  readonly path: string;
  /** The command that lets all of them go on, where there is one. */
  readonly command: string | null;
}

/** How many cases, and when. */
interface NoticeCounts {
  readonly cases: number;
  readonly causes: number;
  readonly overdue: number;
  readonly sinceAt: number;
  /** Of the first. */
  readonly dueAt: number;
  /** When the engine itself may go on with the first; null = only after a person acted. */
  readonly nextCheckAllowedAt: number | null;
}

/** What is told of a matter. */
export function tellMatter({ owner, subject, open, overdue }: OpenMatter, why: TellReason): NoticeContent {
  const { cases, causes, firstSinceAt: sinceAt, firstDueAt: dueAt, nextCheckAllowedAt, caseId } = open;
  return {
    why,
    owner,
    title: `${PREFIXES[why]}${groupDigits(cases)} ${sayThings(subject, cases)} ${sayNeed(subject, cases)}`,
    sentence: saySubject(subject),
    about: { cases, causes, overdue: overdue?.cases ?? 0, sinceAt, dueAt, nextCheckAllowedAt },
    path:
      cases === 1 ? `/${subject.kind === "events" ? "events" : "cases"}/${caseId}` : pathOf(owner, subject),
    command: commandOf(subject),
    ...(subject.kind === "events" ? { of: "events" as const } : {}),
  };
}

/** What is told once nothing of the kind is there any more. */
export function tellOver(owner: string, subject: NoticeSubject): NoticeContent {
  return {
    ...NO_CASES,
    why: "over",
    owner,
    title: `${PREFIXES.over}no ${sayThings(subject, 1)} ${sayNeed(subject, 1)} any more`,
    sentence: `Nothing of the kind is left. It was: ${saySubject(subject)}`,
    path: pathOf(owner, subject),
  };
}

/** What is told to try out whether an owner can be told. */
export function tellTest(owner: string): NoticeContent {
  return {
    ...NO_CASES,
    why: "test",
    owner,
    title: `Test: notices for ${owner} arrive`,
    sentence: `Somebody tried whether ${owner} can be told. Nothing needs to be done.`,
    path: "/",
  };
}

const NO_CASES = { about: null, command: null } as const;

const PREFIXES: Readonly<Record<TellReason | "over", string>> = {
  new: "",
  more: "More: ",
  grown: "Growing: ",
  reminder: "Reminder: ",
  overdue: "Overdue: ",
  over: "Over: ",
};

/** The lines below the sentence, each a name and a value. */
export function noticeFacts(
  content: NoticeContent,
  formatTime: (at: number) => string,
): readonly (readonly [name: string, value: string])[] {
  const { owner, about, command } = content;
  if (about === null) return [["Owner", owner]];
  const { cases, causes, overdue, sinceAt, dueAt, nextCheckAllowedAt: nextAt } = about;
  const apart = causes > 1 ? `, ${groupDigits(causes)} causes` : "";
  const late = overdue > 0 ? `, ${groupDigits(overdue)} overdue` : "";
  return [
    [
      content.of === "events" ? "Events" : "Cases",
      `${groupDigits(cases)}${apart}${late}, the first since ${formatTime(sinceAt)}`,
    ],
    ["Owner", owner],
    ["Due", formatTime(dueAt)],
    ["Next check allowed", nextAt === null ? "only after a person acted" : formatTime(nextAt)],
    ...(command === null ? [] : [["When it is settled", command] as const]),
  ];
}

/** A number as people write it: `5,000`. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

function sayThings(subject: NoticeSubject, count: number): string {
  if (subject.kind !== "events") return count === 1 ? "case" : "cases";
  return `${count === 1 ? "event" : "events"} of ${subject.source}`;
}

function sayNeed(subject: NoticeSubject, cases: number): string {
  const need = cases === 1 ? "needs" : "need";
  const wait = cases === 1 ? "waits" : "wait";
  switch (subject.kind) {
    case "access":
      return subject.reason === "denied"
        ? `${need} access to ${subject.destination}`
        : `${wait} for a higher limit at ${subject.destination}`;
    case "approval":
      return `${wait} for ${subject.step} (${subject.caseType})`;
    case "review":
      return `${need} ${subject.reason === "rejected" ? "correction" : "review"} at ${subject.step} (${subject.caseType})`;
    case "events":
      return `${need} review`;
  }
}

/** What stopped and what is needed. */
function saySubject(subject: NoticeSubject): string {
  switch (subject.kind) {
    case "access": {
      const { reason, destination, credentialId } = subject;
      const account = credentialId === null ? "its credential" : `the credential ${credentialId}`;
      return reason === "denied"
        ? `${destination} refuses ${account}: cases wait until somebody restores the access.`
        : `${destination} allows no more with ${account} at present: cases wait until the limit is raised or reset.`;
    }
    case "approval":
      return `${subject.step} of ${subject.caseType} waits for an answer.`;
    case "events":
      return `What arrived from ${subject.source} could not be worked off: somebody must look at it.`;
    case "review":
      return sayReason(
        subject.reason,
        `${subject.step} of ${subject.caseType}`,
        subject.destination ?? "The destination",
      );
  }
}

function sayReason(reason: ReviewReason, step: string, destination: string): string {
  switch (reason) {
    case "rejected":
      return `${destination} rejected what ${step} sends: the input must be corrected.`;
    case "denied":
      return `Access was refused at ${step}: somebody must restore it.`;
    case "quota":
      return `A limit is used up at ${step}: somebody must raise it.`;
    case "unknown":
      return `It is not known whether ${step} took effect: somebody must find out.`;
    case "limit":
      return `${step} was tried as often as it may be: somebody must decide how it goes on.`;
    case "conflict":
      return `What ${step} wanted to make is there already, and differs: somebody must decide.`;
    case "gone":
      return `What ${step} acts on is not there: somebody must decide.`;
    case "bug":
      return `${step} fails by a fault in code or configuration: it must be mended.`;
    case "precondition":
      return `A condition of ${step} does not hold: somebody must decide.`;
    case "lapsed":
      return `${step} was confirmed and no longer stands: somebody must decide.`;
    case "unreadable":
      return `${step} took effect, and its result cannot be read: somebody must supply it.`;
    case "poison":
      return `Workers were lost at ${step} again and again: somebody must look at it.`;
    case "refused":
      return `${step} was refused: somebody must decide how it goes on.`;
    case "expired":
      return `${step} was not answered in time: somebody must decide how it goes on.`;
    case "staysOutside":
      return `What ${step} did stays outside though its case is canceled: somebody must take it back, or leave it.`;
    case "mayExistTwice":
      return `What ${step} did may exist twice: somebody must look at it.`;
  }
}

function commandOf(subject: NoticeSubject): string | null {
  if (subject.kind !== "access") return null;
  const { destination, credentialId } = subject;
  const credential = credentialId === null ? "" : ` --credential ${credentialId}`;
  return `foothold access restored ${destination}${credential}`;
}

function pathOf(owner: string, subject: NoticeSubject): string {
  const common = `/cases?owner=${encodeURIComponent(owner)}`;
  switch (subject.kind) {
    case "access":
      return `${common}&destination=${subject.destination}`;
    case "approval":
      return `${common}&type=${subject.caseType}&reading=Waiting%20for%20approval`;
    case "review":
      return `${common}&type=${subject.caseType}&review=true`;
    case "events":
      return `/events?source=${subject.source}&work=in_review`;
  }
}
