/** What the path says of each step: everything that the case's view holds about it, in one place. Pure. */

import type { CaseOutline, CaseView, PlanView } from "../api.ts";

/** How a step stands, for its mark. */
export type Mark =
  "confirmed" | "lapsed" | "passedOver" | "person" | "waiting" | "running" | "next" | "later";

/** The sign and the word of each mark. */
export const MARKS: Readonly<Record<Mark, { readonly sign: string; readonly word: string }>> = {
  confirmed: { sign: "✓", word: "Confirmed" },
  lapsed: { sign: "↯", word: "No longer stands" },
  passedOver: { sign: "–", word: "Passed over" },
  person: { sign: "!", word: "Waits for a person" },
  waiting: { sign: "◷", word: "Waits" },
  running: { sign: "▶", word: "Under way" },
  next: { sign: "→", word: "Next" },
  later: { sign: "·", word: "Later" },
};

/** One step of the path. */
export interface PathStep {
  readonly name: string;
  readonly after: readonly string[];
  readonly mark: Mark;
  readonly isFoothold: boolean;
  /** What it is and where it goes: "sends to erp", "approval by finance". */
  readonly what: string;
  /** What a pick-up would do about it now; null where no plan can be made. */
  readonly planned: string | null;
  readonly confirmed: CaseView["confirmed"][number] | null;
  readonly review: CaseView["reviews"][number] | null;
  readonly wait: CaseView["waits"][number] | null;
  readonly attempts: CaseView["attempts"];
  /** The case that it started; null where it started none. */
  readonly child: CaseView["children"][number] | null;
  readonly nextCheckAllowedAt: number | null;
  /** The keys of an `each`, what waits for people first; none elsewhere. */
  readonly parts: readonly PathStep[];
}

type Planned = PlanView["steps"][number];

/** The steps in the order of the definition; without one, in the order of the journal. */
export function pathOf(view: CaseView, outline: CaseOutline | null): readonly PathStep[] {
  const outlined = outline?.steps ?? [];
  const known = new Set(outlined.map(({ name }) => name));
  const extra = view.steps.filter(({ step }) => !known.has(step)).map(({ step }) => step);
  const eaches = outlined.filter(({ kind }) => kind === "each").map(({ name }) => name);
  return [
    ...outlined.map((step): PathStep => {
      const own = pathStep(view, step.name, step.after, sayKind(step));
      if (step.kind !== "each") return own;
      const parts = extra
        .filter((part) => isPartOf(step.name, part))
        .map((part) => pathStep(view, part, [], ""))
        .toSorted((one, other) => URGENCY.indexOf(one.mark) - URGENCY.indexOf(other.mark));
      return joined(own, parts);
    }),
    ...extra
      .filter((step) => !eaches.some((each) => isPartOf(each, step)))
      .map((step) => pathStep(view, step, [], "")),
  ];
}

function isPartOf(each: string, step: string): boolean {
  return step.startsWith(`${each}[`);
}

/** What a person looks for first. */
const URGENCY: readonly Mark[] = [
  "person",
  "lapsed",
  "running",
  "waiting",
  "next",
  "later",
  "confirmed",
  "passedOver",
];

/** An `each` stands as the most urgent of its keys does, until all of them stand. */
function joined(own: PathStep, parts: readonly PathStep[]): PathStep {
  const [first] = parts;
  const isOpen = own.mark === "later" || own.mark === "next";
  const mark = first !== undefined && isOpen && first.mark !== "confirmed" ? first.mark : own.mark;
  return { ...own, parts, mark, planned: parts.length === 0 ? own.planned : null };
}

/** How the keys of an `each` stand: "3 keys: 1 waits for a person, 2 confirmed". */
export function sayParts(parts: readonly PathStep[]): string {
  const numbers = URGENCY.flatMap((mark) => {
    const number = parts.filter((part) => part.mark === mark).length;
    return number === 0 ? [] : [`${number} ${MARKS[mark].word.toLowerCase()}`];
  });
  return `${parts.length} ${parts.length === 1 ? "key" : "keys"}: ${numbers.join(", ")}`;
}

function pathStep(view: CaseView, name: string, after: readonly string[], what: string): PathStep {
  const planned = view.plan?.steps.find(({ step }) => step === name) ?? null;
  const step = view.steps.find((one) => one.step === name) ?? null;
  const confirmed = view.confirmed.find((one) => one.step === name) ?? null;
  const review = view.reviews.find((one) => one.step === name) ?? null;
  const wait = view.waits.find((one) => one.step === name) ?? null;
  const child = view.children.find((one) => one.step === name) ?? null;
  const standing = planned?.standing ?? step?.standing ?? "open";
  return {
    name,
    after,
    mark: markOf({
      view,
      planned,
      standing,
      hasResult: confirmed !== null,
      needsPeople: review !== null || child?.standing === "inReview",
      waits: wait !== null,
    }),
    isFoothold: view.foothold?.includes(name) ?? false,
    what,
    planned: planned?.sentence ?? null,
    confirmed,
    review,
    wait,
    attempts: view.attempts.filter((one) => one.step === name),
    child,
    nextCheckAllowedAt: step?.nextCheckAllowedAt ?? null,
    parts: [],
  };
}

interface Marked {
  readonly view: CaseView;
  readonly planned: Planned | null;
  readonly standing: Planned["standing"];
  readonly hasResult: boolean;
  /** Of this case, or of the one that it waits for. */
  readonly needsPeople: boolean;
  readonly waits: boolean;
}

function markOf({ view, planned, standing, hasResult, needsPeople, waits }: Marked): Mark {
  if (needsPeople) return "person";
  if (standing === "stands") return hasResult ? "confirmed" : "passedOver";
  if (planned !== null && isUnderWay(view, planned)) return "running";
  if (waits) return "waiting";
  if (standing === "lapsed") return "lapsed";
  if (planned === null || view.storedState === "canceled") return "later";
  switch (planned.act) {
    case "nothing":
      return "later";
    case "wait":
      return "waiting";
    case "review":
      return "person";
    case "fanOut":
    case "ask":
    case "send":
    case "check":
    case "look":
    case "refresh":
    case "confirm":
    case "record":
      return "next";
  }
}

function isUnderWay({ attempts, holding }: CaseView, { step }: Planned): boolean {
  const last = attempts.filter((one) => one.step === step).at(-1);
  return holding?.kind === "worker" && holding.isAlive && last?.outcome === "open";
}

/** What a step is and where it goes: "sends to erp", "approval by finance". */
export function sayKind(step: CaseOutline["steps"][number]): string {
  switch (step.kind) {
    case "step":
      return saySend(step);
    case "each":
      return `${saySend(step.item)}, once for each key${step.inOrder === true ? ", in order" : ""}`;
    case "approval":
      return step.escalate === undefined
        ? `approval by ${step.by}`
        : `approval by ${step.by}, later also by ${step.escalate.to}`;
    case "waitForEvent":
      return `waits for the event ${[step.eventType, ...(step.orTypes ?? [])].join(" or ")}`;
    case "poll":
      return `looks at ${step.destination.name} until it is there`;
    case "sleep":
      return "waits for a time";
  }
}

function saySend({
  destination,
  child,
}: Pick<Extract<CaseOutline["steps"][number], { kind: "step" }>, "destination" | "child">): string {
  return child?.act === "start" ? `starts a case of ${child.caseType}` : `sends to ${destination.name}`;
}
