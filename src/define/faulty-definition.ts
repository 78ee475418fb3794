/** The error that names everything that is wrong with definitions. */

import { FootholdError, isFootholdError, type FieldFault } from "../core/errors.ts";

/** What is wrong with one case type, or whatever else was defined. */
export interface FaultyCase {
  readonly name: string;
  readonly faults: readonly FieldFault[];
}

/** Faults written into one message; `details.faulty` has them all. */
const FAULTS_SHOWN_MAX = 100;

/** `INVALID_DEFINITION` with every fault of every case type, one a line; `details.faulty` has them as data. */
export function faultyDefinition(faulty: readonly FaultyCase[]): FootholdError {
  return faultyDefinitions("case type", faulty);
}

/** The same for what is no case type, by the word for it. */
export function faultyDefinitions(word: string, faulty: readonly FaultyCase[]): FootholdError {
  const lines = faulty.flatMap(({ name, faults }) =>
    faults.map(({ path, message }) => (path === "" ? `${name}: ${message}` : `${name}: ${path}: ${message}`)),
  );
  const shown = lines.slice(0, FAULTS_SHOWN_MAX);
  const further = lines.length - shown.length;
  if (further > 0) shown.push(`and ${further} more`);
  const names = faulty.map(({ name }) => name).join(", ");
  const what = `${lines.length} ${lines.length === 1 ? "fault" : "faults"} in ${word} ${names}`;
  return new FootholdError(
    "INVALID_DEFINITION",
    `${what}. Nothing was loaded; correct:\n${shown.map((line) => `- ${line}`).join("\n")}`,
    { details: { faulty } },
  );
}

/** What an error of {@link faultyDefinition} says is wrong; null for any other error. */
export function faultsIn(error: unknown): readonly FaultyCase[] | null {
  if (!isFootholdError(error) || error.code !== "INVALID_DEFINITION") return null;
  const { faulty } = error.details;
  return Array.isArray(faulty) && faulty.every(isFaultyCase) ? faulty : null;
}

function isFaultyCase(value: unknown): value is FaultyCase {
  return typeof value === "object" && value !== null && "name" in value && "faults" in value;
}
