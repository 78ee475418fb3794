/**
 * Reads the options of a definition, whoever wrote them (JavaScript, or TypeScript with casts), and collects every fault
 * instead of stopping at the first. After a fault a reader gives a placeholder, so that reading can go on; whoever
 * opened it looks at the faults before anything is used.
 */

import type { FieldFault } from "../core/errors.ts";
import type { Validate } from "./case-type.ts";
import { describeValue } from "./describe-value.ts";
import { describeDuration, DURATION_MS_MAX, readDuration } from "./duration.ts";
import { isSchema, validateWith } from "./schema.ts";

/** A function that an author wrote. What it takes is known to the compiler of the author, not to this reader. */
export type AuthorFunction = (context: unknown) => unknown;

/** Characters of an owner, a role or a credential. */
const LABEL_CHARS_MAX = 200;

/** A range of durations, and what is meant where none is given; null = one must be given. */
export interface DurationRange {
  readonly defaultMs: number | null;
  readonly minMs: number;
  readonly maxMs?: number;
}

/** A range of whole numbers, and what is meant where none is given; null = one must be given. */
export interface CountRange {
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
}

/** One object of options. */
export class OptionReader {
  /** Where the options stand, dotted: `steps.createRecord`. */
  readonly path: string;
  readonly #options: object;
  readonly #faults: FieldFault[];

  /** Faults are appended to `faults`. An option that is not `known` is a fault: a slip of the pen must not pass. */
  constructor(options: unknown, path: string, known: readonly string[], faults: FieldFault[]) {
    this.path = path;
    this.#faults = faults;
    const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
    this.#options = isObject ? options : {};
    const fields = known.length > 0 ? ` with ${known.join(", ")}` : "";
    if (!isObject) this.fault("", `give an object${fields}, not ${describeValue(options)}`);
    for (const name of Object.keys(this.#options)) {
      if (!known.includes(name)) this.fault(name, `there is no such option; there are ${known.join(", ")}`);
    }
  }

  /** Notes a fault of one option; `name` is empty for the whole. */
  fault(name: string, message: string): void {
    this.#faults.push({ path: pathOf(this.path, name), message });
  }

  /** The option as it was written; undefined where it was left out. */
  value(name: string): unknown {
    const value: unknown = Reflect.get(this.#options, name);
    return value;
  }

  /** Another object of options inside this one; an empty one where it was left out. */
  nested(name: string, known: readonly string[]): OptionReader {
    return this.inside(name, this.value(name) ?? {}, known);
  }

  /** Options that stand inside this one, at `name`, but not as an option of it. */
  inside(name: string, options: unknown, known: readonly string[]): OptionReader {
    return new OptionReader(options, pathOf(this.path, name), known, this.#faults);
  }

  /** A text that must be there; `what` says what it names. */
  text(name: string, what: string): string {
    const text = this.optionalText(name, what);
    if (text === null && this.value(name) === undefined) this.fault(name, `is missing: say ${what}`);
    return text ?? "";
  }

  /** A text, or null where it was left out. */
  optionalText(name: string, what: string): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (typeof value === "string" && isLabel(value)) return value;
    this.fault(name, `must say ${what}: a text of 1 to ${LABEL_CHARS_MAX} characters on one line`);
    return null;
  }

  /** A duration in ms. */
  duration(name: string, { defaultMs, minMs, maxMs = DURATION_MS_MAX }: DurationRange): number {
    const value = this.value(name);
    if (value === undefined && defaultMs !== null) return defaultMs;
    const read = readDuration(value);
    if (read.kind === "duration" && read.ms >= minMs && read.ms <= maxMs) return read.ms;
    if (value === undefined) this.fault(name, `is missing: give a duration such as "30s", "5m" or "3d"`);
    else if (read.kind === "faulty") this.fault(name, read.why);
    else if (read.ms < minMs) this.fault(name, `must be at least ${describeDuration(minMs)}`);
    else this.fault(name, `must be at most ${describeDuration(maxMs)}`);
    return defaultMs ?? minMs;
  }

  /** A whole number. */
  count(name: string, range: CountRange): number {
    const value = this.value(name);
    if (value === undefined && range.default !== null) return range.default;
    const isCount = typeof value === "number" && Number.isSafeInteger(value);
    if (isCount && value >= range.min && value <= range.max) return value;
    this.fault(name, `must be a whole number from ${range.min} to ${range.max}`);
    return range.default ?? range.min;
  }

  /** True or false; false where it was left out. */
  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== "boolean") this.fault(name, `must be true or false, not ${describeValue(value)}`);
    return value === true;
  }

  /** A function that must be there, or null after a fault; `what` says what it does. */
  requiredFunction(name: string, what: string): AuthorFunction | null {
    if (this.value(name) === undefined) this.fault(name, `is missing: give the function that ${what}`);
    return this.optionalFunction(name);
  }

  /** A function, or null where it was left out. */
  optionalFunction(name: string): AuthorFunction | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (isFunction(value)) return value;
    this.fault(name, `must be a function, not ${describeValue(value)}`);
    return null;
  }

  /** A schema that must be there, or null after a fault; `what` says of what. */
  requiredSchema(name: string, what: string): Validate | null {
    if (this.value(name) === undefined) this.fault(name, `is missing: give the schema of ${what}`);
    return this.optionalSchema(name);
  }

  /** A schema as a check of values, or null where it was left out. */
  optionalSchema(name: string): Validate | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (isSchema(value)) return validateWith(value);
    this.fault(name, "must be a schema that speaks Standard Schema, such as one of zod, valibot or arktype");
    return null;
  }

  /** A list of different texts, or null where it was left out. */
  optionalNames(name: string): readonly string[] | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (!Array.isArray(value) || !value.every((one) => typeof one === "string" && one !== "")) {
      this.fault(name, "must be a list of names");
      return null;
    }
    const names = value.map(String);
    for (const one of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
      this.fault(name, `names ${one} twice`);
    }
    return [...new Set(names)];
  }
}

function pathOf(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(".");
}

/** True for a function, whatever it takes. */
export function isFunction(value: unknown): value is AuthorFunction {
  return typeof value === "function";
}

/** True for an `async` function: one that can only answer later. */
export function isAsyncFunction(value: AuthorFunction): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** True for a text that fits where people read it: not blank, on one line, bounded. */
export function isLabel(text: string): boolean {
  return text.trim() !== "" && text.length <= LABEL_CHARS_MAX && !/\p{Cc}/u.test(text);
}
