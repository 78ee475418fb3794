/** Reads a step that sends: its options become an outline without functions, and functions that see what they may. */

import { FootholdError } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import type { DestinationOutline, LapsePolicy, SendStepOutline } from "../core/outline.ts";
import { needsCheck } from "../core/repeat-safety.ts";
import { disarmed, readCheckReply } from "./answers.ts";
import type { Facts, RuntimeSendStep } from "./case-type.ts";
import { sortingOf } from "./destination.ts";
import { inSight, type Sight } from "./in-sight.ts";
import { isAsyncFunction, type AuthorFunction, type OptionReader } from "./option-reader.ts";
import { DEADLINE_MS_MAX, readConditions, type ReadDestination } from "./read-conditions.ts";
import {
  checkConditionNames,
  conditionsOf,
  outlineOf,
  runtimesOf,
  type Following,
} from "./read-following.ts";
import { readRunBy } from "./read-elsewhere.ts";
import { readUndo } from "./read-undo.ts";
import { readVersion } from "./read-version.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** The options that only a step that sends has. */
export const SEND_OPTIONS: readonly string[] = [
  "to",
  "before",
  "request",
  "run",
  "check",
  "version",
  "onLapse",
  "undo",
  "result",
  "deadline",
];

/** Reads a step that sends and notes its faults; null after one that leaves nothing to make. */
export function readSend(
  options: OptionReader,
  following: Following,
  readDestination: ReadDestination,
): ((sight: Sight) => RuntimeSendStep) | null {
  const destination = readDestination(options.value("to"));
  if (destination === null)
    options.fault("to", "must be a destination: where it sends to, of defineDestination");
  const asked = readConditions(options, "before", readDestination);
  const request = readRequest(options);
  const run = options.requiredFunction("run", "sends");
  const check = options.optionalFunction("check");
  const result = options.optionalSchema("result");
  const deadlineMs = options.duration("deadline", { defaultMs: 30_000, minMs: 1, maxMs: DEADLINE_MS_MAX });
  const onLapse = readLapsePolicy(options);
  const runBy = readRunBy(options, destination);
  if (destination === null) return null;
  checkRepeatSafety(options, destination, check);
  const sorting = sortingOf(options.value("to"));
  const version = readVersion(options, destination);
  const before = version === null ? asked : [...asked, version];
  checkConditionNames(options, following, before);
  const undo = readUndo(options, { step: following.name, destination, sorting, version, deadlineMs, runBy });
  if (run === null) return null;
  return (sight) => ({
    kind: "step",
    outline: {
      kind: "step",
      ...outlineOf(following, sight),
      destination,
      before: before.map(({ outline }) => outline),
      hasRequest: request !== null,
      hasCheck: check !== null,
      deadlineMs,
      versionCondition: version?.outline.name ?? null,
      onLapse,
      undo: undo?.outline ?? null,
      ...(runBy === null ? {} : { runBy }),
    } satisfies SendStepOutline,
    ...conditionsOf(following, sight),
    before: runtimesOf(before, sight),
    request: request === null ? null : (facts) => makeRequest("request", request, facts, sight),
    run: async (context) => run(inSight(context, sight)),
    check: check === null ? null : async (context) => readCheckReply(await check(inSight(context, sight))),
    undo: undo === null ? null : undo.runtime(sight),
    ...sorting,
    result,
  });
}

function readRequest(options: OptionReader): AuthorFunction | null {
  const request = options.optionalFunction("request");
  if (request !== null && isAsyncFunction(request)) {
    options.fault("request", "must not be async: it says what to send, from the facts it is given");
  }
  return request;
}

const LAPSE_POLICIES = ["recheck", "redo", "undo", "review"] as const;

function readLapsePolicy(options: OptionReader): LapsePolicy {
  const written = options.value("onLapse");
  if (written === undefined) return "review";
  const policy = LAPSE_POLICIES.find((one) => one === written);
  if (policy === undefined) options.fault("onLapse", `must be one of ${LAPSE_POLICIES.join(", ")}`);
  if (policy === "recheck" && options.value("check") === undefined) {
    options.fault(
      "onLapse",
      "is recheck, so the step needs a check that asks whether what is there is wanted",
    );
  }
  if (policy === "undo" && options.value("undo") === undefined) {
    options.fault("onLapse", "is undo, so the step needs an undo that takes its effect back");
  }
  return policy ?? "review";
}

function checkRepeatSafety(
  options: OptionReader,
  { name, repeatSafety }: DestinationOutline,
  check: AuthorFunction | null,
): void {
  if (!needsCheck(repeatSafety) || check !== null || options.value("check") !== undefined) return;
  options.fault(
    "check",
    `is missing: ${name} is repeated by ${repeatSafety.by}, so every step sent there must be able to ask it`,
  );
}

/** What an author's pure function says is to be sent, as JSON. Throws what it throws, and `INVALID_DEFINITION` for no JSON. */
export function makeRequest(option: string, request: AuthorFunction, facts: Facts, sight: Sight): Json {
  const given = disarmed(request(inSight(facts, sight)));
  const read =
    given instanceof Promise
      ? { kind: "unreadable" as const, why: "it is a promise" }
      : readJson(given, VALUE_CHARS_MAX);
  if (read.kind === "json") return read.value;
  throw new FootholdError(
    "INVALID_DEFINITION",
    `What ${option} of ${sight.step} in case type ${sight.caseType} gave cannot be stored: ${read.why}. Nothing was sent.`,
    { details: { step: sight.step } },
  );
}
