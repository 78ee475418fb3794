/** Reads the conditions of a step: facts and probes by name. */

import type { ConditionOutline, DestinationOutline, FactOutline } from "../core/outline.ts";
import { disarmed } from "./answers.ts";
import type { RuntimeCondition } from "./case-type.ts";
import { describeValue } from "./describe-value.ts";
import { readReply } from "./facts.ts";
import { inSight, type Sight } from "./in-sight.ts";
import {
  isAsyncFunction,
  isFunction,
  isLabel,
  type AuthorFunction,
  type OptionReader,
} from "./option-reader.ts";

/** The longest send, probe or check, in ms. */
export const DEADLINE_MS_MAX: number = 10 * 60_000;

/** The shortest time for which the answer of a probe may be used again, in ms. */
const FRESH_FOR_MS_MIN = 1_000;

/** Conditions in one group of a step. */
const CONDITIONS_MAX = 50;

/** A condition as written, before it is known what its step may see. */
export interface ConditionReading {
  readonly outline: ConditionOutline;
  readonly runtime: (sight: Sight) => RuntimeCondition;
}

/** A condition as written that is decided from the journal. */
export interface FactReading extends ConditionReading {
  readonly outline: FactOutline;
}

/** Reads what should be a destination; null when it is none, which is the reader's fault to note. */
export type ReadDestination = (value: unknown) => DestinationOutline | null;

/** Reads `requires` or `before` of a step. Faulty conditions are noted and left out. */
export function readConditions(
  step: OptionReader,
  group: "requires" | "before",
  readDestination: ReadDestination,
): readonly ConditionReading[] {
  return writtenIn(step, group).flatMap((written) => {
    const reading = readCondition(step, written, readDestination);
    return reading === null ? [] : [reading];
  });
}

/** Reads `when` of a step: facts only, because whether a step is needed must be told without asking anybody. */
export function readWhen(step: OptionReader): readonly FactReading[] {
  return writtenIn(step, "when").flatMap(({ path, name, condition }) => {
    if (isFunction(condition)) return [readFact(step, path, name, condition)];
    step.fault(path, `must be a function of the facts, not ${describeValue(condition)}`);
    return [];
  });
}

interface Written {
  /** Inside the step. */
  readonly path: string;
  readonly name: string;
  readonly condition: unknown;
}

function writtenIn(step: OptionReader, group: "when" | "requires" | "before"): readonly Written[] {
  const conditions = step.value(group);
  if (conditions === undefined) return [];
  if (typeof conditions !== "object" || conditions === null || Array.isArray(conditions)) {
    step.fault(group, `must be an object of conditions by name, not ${describeValue(conditions)}`);
    return [];
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(conditions);
  if (entries.length > CONDITIONS_MAX) {
    step.fault(group, `has ${entries.length} conditions, at most ${CONDITIONS_MAX} are allowed`);
  }
  return entries.map(([name, condition]) => {
    const path = `${group}.${name}`;
    if (!isLabel(name)) step.fault(path, "must have a name that people can read, on one line");
    return { path, name, condition };
  });
}

function readCondition(
  step: OptionReader,
  { path, name, condition }: Written,
  readDestination: ReadDestination,
): ConditionReading | null {
  if (isFunction(condition)) return readFact(step, path, name, condition);
  if (isProbe(condition)) {
    const options = step.inside(path, condition.options, ["of", "freshFor", "deadline", "ask"]);
    return readProbe(options, name, readDestination);
  }
  step.fault(path, `must be a function or probe({ … }), not ${describeValue(condition)}`);
  return null;
}

function readFact(step: OptionReader, path: string, name: string, decide: AuthorFunction): FactReading {
  if (isAsyncFunction(decide)) {
    step.fault(
      path,
      "must not be async: it decides from the facts it is given; ask outside with probe({ … })",
    );
  }
  return {
    outline: { kind: "fact", name },
    runtime: (sight) => ({
      kind: "fact",
      name,
      holds: (facts) => readReply(disarmed(decide(inSight(facts, sight)))),
    }),
  };
}

function readProbe(
  options: OptionReader,
  name: string,
  readDestination: ReadDestination,
): ConditionReading | null {
  const destination = readDestination(options.value("of"));
  if (destination === null)
    options.fault("of", "must be the destination that is asked, of defineDestination");
  const ask = options.requiredFunction("ask", "asks");
  const deadlineMs = options.duration("deadline", { defaultMs: 5_000, minMs: 1, maxMs: DEADLINE_MS_MAX });
  const freshForMs = options.duration("freshFor", { defaultMs: 60_000, minMs: FRESH_FOR_MS_MIN });
  if (destination === null || ask === null) return null;
  return {
    outline: { kind: "probe", name, destination, deadlineMs, freshForMs },
    runtime: (sight) => ({
      kind: "probe",
      name,
      ask: async (context) => readReply(await ask(inSight(context, sight))),
    }),
  };
}

function isProbe(value: unknown): value is { readonly kind: "probe"; readonly options: unknown } {
  if (typeof value !== "object" || value === null) return false;
  return "kind" in value && value.kind === "probe" && "options" in value;
}
