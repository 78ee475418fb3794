/** Reads one step: its options become an outline without functions, and functions that see what they may. */

import type { FieldFault } from "../core/errors.ts";
import type { MaskedPath } from "../core/masked-values.ts";
import { awaitedTypes, type StepOutline, type WaitForEventStepOutline } from "../core/outline.ts";
import type { RuntimeStep } from "./case-type.ts";
import type { Sight } from "./in-sight.ts";
import { readMasked } from "./masking.ts";
import { nameFault } from "./names.ts";
import { OptionReader } from "./option-reader.ts";
import { APPROVAL_OPTIONS, readApproval } from "./read-approval.ts";
import { readConditions, readWhen, type ReadDestination } from "./read-conditions.ts";
import { checkConditionNames, conditionsOf, outlineOf, type Following } from "./read-following.ts";
import { CHILD_OPTIONS, readChild } from "./read-child.ts";
import { EACH_CHILD_OPTIONS, EACH_OPTIONS, readEach } from "./read-each.ts";
import { readPoll } from "./read-poll.ts";
import { readSend, SEND_OPTIONS } from "./read-send.ts";

/** How a step is added. One with a child is a send for the plan. */
type StepDraftKind = StepOutline["kind"] | "child" | "eachChild";

/** A step as written. */
export interface StepDraft {
  readonly kind: StepDraftKind;
  readonly name: unknown;
  readonly options: unknown;
}

/** What is known of the case type when a step is read. */
export interface StepSurroundings {
  /** Its name, or its number where it has none; for the paths of faults. */
  readonly label: string;
  /** The step written before; null for the first. */
  readonly previous: string | null;
  readonly eventTypes: readonly string[];
  readonly readDestination: ReadDestination;
  readonly faults: FieldFault[];
}

/** A step as read. */
export interface StepReading {
  readonly name: string;
  readonly formerly: readonly string[];
  readonly after: readonly string[];
  readonly options: OptionReader;
  readonly masked: readonly MaskedPath[];
  /** Makes the step once its place among the others is known; null after a fault that leaves nothing to make. */
  readonly make: ((sight: Sight) => RuntimeStep) | null;
}

const FOLLOWING = ["formerly", "after", "when", "requires", "uses"];

const KNOWN: { readonly [Kind in StepDraftKind]: readonly string[] } = {
  step: [...SEND_OPTIONS, "masked", ...FOLLOWING],
  each: [...EACH_OPTIONS, "masked", ...FOLLOWING],
  child: [...CHILD_OPTIONS, "masked", ...FOLLOWING],
  eachChild: [...EACH_CHILD_OPTIONS, "masked", ...FOLLOWING],
  approval: [...APPROVAL_OPTIONS, "masked", ...FOLLOWING],
  waitForEvent: ["event", "timeout", ...FOLLOWING],
  poll: ["of", "look", "every", "timeout", "deadline", "result", "masked", ...FOLLOWING],
  sleep: ["for", ...FOLLOWING],
};

/** Reads a step and notes its faults. */
export function readStep(draft: StepDraft, around: StepSurroundings): StepReading {
  const options = new OptionReader(draft.options, `steps.${around.label}`, KNOWN[draft.kind], around.faults);
  const wrongName = nameFault(draft.name);
  if (wrongName !== null) options.fault("", wrongName);
  const name = around.label;
  const after = options.optionalNames("after") ?? (around.previous === null ? [] : [around.previous]);
  const formerly = options.optionalNames("formerly") ?? [];
  const following: Following = {
    name,
    formerly,
    after,
    uses: readUses(options),
    when: readWhen(options),
    requires: readConditions(options, "requires", around.readDestination),
  };
  // A step that sends has more of them, and checks them with the rest of its options.
  if (!SENDS.includes(draft.kind)) checkConditionNames(options, following);
  const masked = KNOWN[draft.kind].includes("masked") ? readMasked(options) : [];
  return { name, formerly, after, options, masked, make: makerOf(draft.kind, options, following, around) };
}

const SENDS: readonly StepDraftKind[] = ["step", "each", "child", "eachChild"];

function readUses(options: OptionReader): readonly string[] | null {
  const uses = options.optionalNames("uses");
  if (uses?.length === 0) {
    options.fault("uses", "names nothing: name the input fields it rests on, or leave it out to rest on all");
  }
  return uses;
}

function makerOf(
  kind: StepDraftKind,
  options: OptionReader,
  following: Following,
  around: StepSurroundings,
): StepReading["make"] {
  switch (kind) {
    case "child":
      return readChild(options, following, around.readDestination);
    case "eachChild":
      return readEach(options, following, (own) => readChild(options, own, around.readDestination));
    case "step":
      return readSend(options, following, around.readDestination);
    case "each":
      return readEach(options, following, (own) => readSend(options, own, around.readDestination));
    case "approval":
      return readApproval(options, following);
    case "waitForEvent":
      return waitMaker(options, following, around.eventTypes);
    case "poll":
      return readPoll(options, following, around.readDestination);
    case "sleep":
      return sleepMaker(options, following);
  }
}

function waitMaker(
  options: OptionReader,
  following: Following,
  eventTypes: readonly string[],
): StepReading["make"] {
  const awaited = readAwaited(options);
  for (const eventType of awaitedTypes(awaited)) {
    if (eventType === "" || eventTypes.includes(eventType)) continue;
    const known = eventTypes.join(", ") || "none";
    options.fault(
      "event",
      `the case type takes no event ${eventType}: add it to its events. It takes: ${known}`,
    );
  }
  const timeoutMs = options.duration("timeout", { defaultMs: null, minMs: 1 });
  return (sight) => ({
    kind: "waitForEvent",
    outline: { kind: "waitForEvent", ...outlineOf(following, sight), ...awaited, timeoutMs },
    ...conditionsOf(following, sight),
  });
}

/** Types of which one wait may take the first event. */
const AWAITED_TYPES_MAX = 20;

function readAwaited(options: OptionReader): Pick<WaitForEventStepOutline, "eventType" | "orTypes"> {
  if (!Array.isArray(options.value("event"))) {
    return { eventType: options.text("event", "which event it waits for") };
  }
  const types = options.optionalNames("event");
  const [eventType = "", ...orTypes] = types ?? [];
  if (types !== null && (types.length < 2 || types.length > AWAITED_TYPES_MAX)) {
    options.fault("event", `names ${types.length}: a list has 2 to ${AWAITED_TYPES_MAX} event types`);
  }
  return { eventType, orTypes };
}

function sleepMaker(options: OptionReader, following: Following): StepReading["make"] {
  const forMs = options.duration("for", { defaultMs: null, minMs: 1 });
  return (sight) => ({
    kind: "sleep",
    outline: { kind: "sleep", ...outlineOf(following, sight), forMs },
    ...conditionsOf(following, sight),
  });
}
