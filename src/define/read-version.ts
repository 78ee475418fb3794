/** Reads `version`: the question for what a conditional write is conditional on. It is asked as a probe is. */

import type { ConditionOutline, DestinationOutline } from "../core/outline.ts";
import { cannotTell } from "./answers.ts";
import { describeValue } from "./describe-value.ts";
import { inSight } from "./in-sight.ts";
import type { OptionReader } from "./option-reader.ts";
import type { ConditionReading } from "./read-conditions.ts";

/** The name of the condition, as people read it. */
const VERSION_CONDITION = "version";
/** How long the question may take, and how long its answer may be used for a first send, in ms. */
const ASK_MS_MAX = 5_000;
const FRESH_FOR_MS = 60_000;
/** Characters of a version. */
const VERSION_CHARS_MAX = 1_000;

/** Reads `version`, which a step at an `if-match` destination must have and any other must not. */
export function readVersion(options: OptionReader, destination: DestinationOutline): ConditionReading | null {
  const { name, repeatSafety } = destination;
  if (repeatSafety.by !== "if-match") {
    if (options.value("version") !== undefined) {
      options.fault(
        "version",
        `only a destination with { by: "if-match" } compares one, and ${name} has not`,
      );
    }
    return null;
  }
  const version = options.requiredFunction(
    "version",
    `reads the version that a write to ${name} is conditional on`,
  );
  if (version === null) return null;
  const outline: ConditionOutline = {
    kind: "probe",
    name: VERSION_CONDITION,
    destination,
    deadlineMs: ASK_MS_MAX,
    freshForMs: FRESH_FOR_MS,
  };
  return {
    outline,
    runtime: (sight) => ({
      kind: "probe",
      name: VERSION_CONDITION,
      ask: async (context) => {
        const given = await version(inSight(context, sight));
        return isVersion(given)
          ? { kind: "holds", version: given }
          : cannotTell(
              `version gave ${describeValue(given)} instead of a text of 1 to ${VERSION_CHARS_MAX} characters`,
            );
      },
    }),
  };
}

/** A text that a header and a database can hold. */
function isVersion(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= VERSION_CHARS_MAX &&
    /^[^\p{Cc}\p{Cs}]+$/u.test(value)
  );
}
