import { hashText } from "../services/seeded-random.ts";

/** A step of a permit case: an activity, and which time (1-based) it comes in the case. */
export interface PermitStep {
  readonly activity: string;
  readonly occurrence: number;
}

/** The names of all steps of one case type, both ways. */
export interface StepNames {
  /** The names in the order of the steps they were made for. */
  readonly names: readonly string[];
  /** The step that a name was made for; undefined for any other text. */
  readonly stepOf: (name: string) => PermitStep | undefined;
}

/** Longest step name, in characters. */
export const stepNameCharsMax = 64;

/**
 * A step name of letters and digits that starts with a letter: `t02CheckConfirmationOfReceipt2` for the
 * second "T02 Check confirmation of receipt". Words are joined in camel case, everything but ASCII letters
 * and digits is dropped, a name that would not start with a letter gets an `s` in front, and one over 64
 * characters is cut and gets a hash of the whole. Two steps can have one name ("aspect 1" for the first time,
 * "aspect" for the eleventh): within one case type use `nameSteps`.
 */
export function stepName(step: PermitStep): string {
  const words = step.activity.match(/[A-Za-z0-9]+/g) ?? ["step"];
  const joined = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
  const name = `${/^[a-z]/.test(joined) ? "" : "s"}${joined}${step.occurrence}`;
  return name.length <= stepNameCharsMax ? name : withHash(name, step);
}

/**
 * Names all steps of one case type. Every name is unique: where two steps would share one, the later gets a
 * hash of its activity. The same steps always get the same names. Throws a RangeError when a step is in the
 * list twice.
 */
export function nameSteps(steps: readonly PermitStep[]): StepNames {
  const stepByName = new Map<string, PermitStep>();
  const seen = new Set<string>();
  for (const step of steps) {
    const label = stepLabel(step);
    if (seen.has(label)) throw new RangeError(`the step ${label} is in the list twice`);
    seen.add(label);
    const name = stepName(step);
    stepByName.set(stepByName.has(name) ? freeName(name, step, stepByName) : name, step);
  }
  return { names: [...stepByName.keys()], stepOf: (name) => stepByName.get(name) };
}

/** A step in words: `T02 Check confirmation of receipt #2`. */
export function stepLabel(step: PermitStep): string {
  return `${step.activity} #${step.occurrence}`;
}

function freeName(name: string, step: PermitStep, taken: ReadonlyMap<string, PermitStep>): string {
  // There are fewer names taken than salts to try, so one of them is free.
  for (let salt = 0; salt <= taken.size; salt += 1) {
    const tried = withHash(name, step, salt);
    if (!taken.has(tried)) return tried;
  }
  throw new RangeError(`found no free name for the step ${stepLabel(step)}`);
}

function withHash(name: string, step: PermitStep, salt = 0): string {
  const suffix = `x${hashText(JSON.stringify([step.activity, step.occurrence, salt])).toString(36)}`;
  return `${name.slice(0, stepNameCharsMax - suffix.length)}${suffix}`;
}

function lowerFirst(word: string): string {
  return word.slice(0, 1).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
