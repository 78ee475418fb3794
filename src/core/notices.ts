/**
 * Notices: whether an owner is told of what needs them, and why again. What an owner can settle by one act, or at one
 * place, is one notice, whatever the number of cases: access by destination and credential, everything else by case type,
 * step and reason. Coarser than problems on purpose: people are told where to go, and told the causes there.
 */

import type { ReviewReason } from "./journal.ts";
import type { NeedCount } from "./needs.ts";

/** What a notice is about. */
export type NoticeSubject =
  /** One act lets all of them go on. */
  | {
      readonly kind: "access";
      readonly reason: "denied" | "quota";
      readonly destination: string;
      /** Null where no loaded case type tells it. */
      readonly credentialId: string | null;
    }
  | {
      readonly kind: "review";
      readonly reason: ReviewReason;
      readonly caseType: string;
      readonly step: string;
      readonly destination: string | null;
    }
  | { readonly kind: "approval"; readonly caseType: string; readonly step: string }
  /** Events that arrived, in review. Their number stands for that of cases, and the id of one for that of a case. */
  | { readonly kind: "events"; readonly source: string };

/** What an owner is needed for. */
export interface NoticeMatter extends Pick<NeedCount, "held" | "open" | "overdue"> {
  readonly owner: string;
  readonly subject: NoticeSubject;
}

/** Tells the credential that a step of a case type uses; null = nobody here knows. */
export type CredentialOf = (place: { readonly caseType: string; readonly step: string }) => string | null;

/** Joins needs that one notice tells of, by the key of the notice. */
export function gatherMatters(
  needs: readonly NeedCount[],
  credentialOf: CredentialOf,
): ReadonlyMap<string, NoticeMatter> {
  const matters = new Map<string, NoticeMatter>();
  for (const need of needs) {
    const { owner, held, open, overdue } = need;
    const matter = { owner, subject: subjectOf(need, credentialOf), held, open, overdue };
    const key = noticeKey(matter);
    const known = matters.get(key);
    matters.set(key, known === undefined ? matter : join(known, matter));
  }
  return matters;
}

/** What tells notices apart, in one text. */
export function noticeKey({ owner, subject }: Pick<NoticeMatter, "owner" | "subject">): string {
  switch (subject.kind) {
    case "access":
      return JSON.stringify([owner, subject.kind, subject.reason, subject.destination, subject.credentialId]);
    case "review": {
      const { kind, reason, caseType, step, destination } = subject;
      return JSON.stringify([owner, kind, reason, caseType, step, destination]);
    }
    case "approval":
      return JSON.stringify([owner, subject.kind, subject.caseType, subject.step]);
    case "events":
      return JSON.stringify([owner, subject.kind, subject.source]);
  }
}

function subjectOf(need: NeedCount, credentialOf: CredentialOf): NoticeSubject {
  const { kind, reason, caseType, step, destination, credentialId } = need;
  if (kind === "approval") return { kind, caseType, step };
  const isAccess = reason === null || reason === "denied" || reason === "quota";
  if (isAccess && destination !== null) {
    const known = credentialId ?? credentialOf({ caseType, step });
    return { kind: "access", reason: reason ?? "denied", destination, credentialId: known };
  }
  return { kind: "review", reason: reason ?? "denied", caseType, step, destination };
}

function join(one: NoticeMatter, other: NoticeMatter): NoticeMatter {
  return {
    ...one,
    held: one.held + other.held,
    open: one.open === null ? other.open : other.open === null ? one.open : joinOpen(one.open, other.open),
    overdue:
      one.overdue === null
        ? other.overdue
        : other.overdue === null
          ? one.overdue
          : {
              cases: one.overdue.cases + other.overdue.cases,
              lastDueAt: Math.max(one.overdue.lastDueAt, other.overdue.lastDueAt),
            },
  };
}

type Open = NonNullable<NeedCount["open"]>;

function joinOpen(one: Open, other: Open): Open {
  const checks = [one.nextCheckAllowedAt, other.nextCheckAllowedAt].filter((at) => at !== null);
  const reminders = [one.lastRemindAt, other.lastRemindAt].filter((at) => at !== null);
  return {
    cases: one.cases + other.cases,
    // The same cause at another step is counted there too.
    causes: Math.max(one.causes, other.causes),
    firstSinceAt: Math.min(one.firstSinceAt, other.firstSinceAt),
    lastSinceAt: Math.max(one.lastSinceAt, other.lastSinceAt),
    firstDueAt: Math.min(one.firstDueAt, other.firstDueAt),
    nextCheckAllowedAt: checks.length === 0 ? null : Math.min(...checks),
    lastRemindAt: reminders.length === 0 ? null : Math.max(...reminders),
    caseId: one.caseId < other.caseId ? one.caseId : other.caseId,
  };
}

/** When people are told. */
export interface NoticeRules {
  /** How long after the first case of a matter its owner is told, so that one notice tells of all that came with it. */
  readonly gatherMs: number;
  /** How long an owner is left alone before cases that came since, or fell overdue since, are told together. */
  readonly againMs: number;
  /** Told again where so many times as many cases wait as were told; null = not for that. At least 2. */
  readonly growth: number | null;
}

/** How long a matter must be out of sight before it counts as over, in ms: a case that is tried again leaves it for a moment. */
export const OVER_AFTER_MS = 60_000;

/** What is known of a notice that is open. Times are epoch ms. */
export interface NoticeState {
  readonly openedAt: number;
  /** How often it was told. */
  readonly tellings: number;
  readonly toldAt: number;
  readonly toldCases: number;
  /** When it was told to be overdue; null = it was not. */
  readonly overdueToldAt: number | null;
  /** Since when nothing of the kind is there; null = something is. */
  readonly goneAt: number | null;
}

/** Why an owner is told. */
export type TellReason =
  /** For the first time. */
  | "new"
  /** Cases came since. */
  | "more"
  /** Far more cases than were told. */
  | "grown"
  /** An approval asks to be told again while it is not answered. */
  | "reminder"
  | "overdue";

/** What is to be done about a notice. */
export type NoticeDecision =
  | { readonly kind: "leave" }
  | {
      readonly kind: "tell";
      readonly why: TellReason;
      readonly state: NoticeState;
      readonly matter: OpenMatter;
    }
  /** Kept, and nobody is told. */
  | { readonly kind: "note"; readonly state: NoticeState }
  | { readonly kind: "over" };

/** A matter with cases that nobody deals with yet. */
export type OpenMatter = NoticeMatter & { readonly open: Open };

const LEAVE: NoticeDecision = { kind: "leave" };

/** Whether an owner is told. `matter`: null = there is nothing of the kind now. `known`: null = it was not told. */
export function decideNotice(
  matter: NoticeMatter | null,
  known: NoticeState | null,
  rules: NoticeRules,
  now: number,
): NoticeDecision {
  if (known === null) return decideFirst(matter, rules, now);
  if (matter === null) return decideGone(known, now);
  const open = openOf(matter);
  const why = open === null ? null : tellAgain(open, known, rules, now);
  if (why !== null && open !== null) return tell(why, open, known, now);
  return known.goneAt === null ? LEAVE : { kind: "note", state: { ...known, goneAt: null } };
}

function openOf(matter: NoticeMatter): OpenMatter | null {
  return matter.open === null ? null : { ...matter, open: matter.open };
}

function decideFirst(matter: NoticeMatter | null, { gatherMs }: NoticeRules, now: number): NoticeDecision {
  const open = matter === null ? null : openOf(matter);
  if (open === null || now < open.open.firstSinceAt + gatherMs) return LEAVE;
  const toldCases = open.open.cases;
  const state = { openedAt: now, tellings: 1, toldAt: now, toldCases, goneAt: null };
  // What is overdue when it is first told says so, and is not told again for that.
  const overdueToldAt = open.overdue === null ? null : now;
  return { kind: "tell", why: "new", state: { ...state, overdueToldAt }, matter: open };
}

function decideGone(known: NoticeState, now: number): NoticeDecision {
  if (known.goneAt === null) return { kind: "note", state: { ...known, goneAt: now } };
  return now >= known.goneAt + OVER_AFTER_MS ? { kind: "over" } : LEAVE;
}

function tellAgain(
  { subject, overdue, open: { cases, lastSinceAt, lastRemindAt } }: OpenMatter,
  { toldAt, toldCases, overdueToldAt }: NoticeState,
  { againMs, growth }: NoticeRules,
  now: number,
): TellReason | null {
  if (overdue !== null) {
    const isNewlySo =
      overdueToldAt === null || (overdue.lastDueAt > overdueToldAt && now >= overdueToldAt + againMs);
    if (isNewlySo) return "overdue";
  }
  if (growth !== null && cases >= toldCases * growth) return "grown";
  // Where one act lets all of them go on, one more changes nothing.
  if (subject.kind === "access" || now < toldAt + againMs) return null;
  if (lastSinceAt > toldAt) return "more";
  return lastRemindAt !== null && lastRemindAt > toldAt ? "reminder" : null;
}

function tell(why: TellReason, matter: OpenMatter, known: NoticeState, now: number): NoticeDecision {
  return {
    kind: "tell",
    why,
    matter,
    state: {
      ...known,
      tellings: known.tellings + 1,
      toldAt: now,
      toldCases: matter.open.cases,
      overdueToldAt: why === "overdue" ? now : known.overdueToldAt,
      goneAt: null,
    },
  };
}
