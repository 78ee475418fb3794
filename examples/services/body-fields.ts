import type { Json, JsonObject, StepOfCase } from "./ledger-entries.ts";

/** What is wrong with one field of a body, in words for the person who filled it in. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Longest name of a case or an activity, in characters. */
const nameCharsMax = 200;

/** Largest position or occurrence. */
const placeMax = 1_000_000;

/**
 * Reads the fields of a body one by one and collects all that is wrong, so that a sender sees every error at
 * once. A field that is wrong reads as an empty text or zero; use what was read only when `errors` is empty.
 */
export class BodyFields {
  readonly #body: JsonObject;
  readonly #errors: FieldError[] = [];

  constructor(body: JsonObject) {
    this.#body = body;
  }

  /** Everything wrong so far. */
  get errors(): readonly FieldError[] {
    return this.#errors;
  }

  /** A text of 1 to `charsMax` characters; absent gives `absent` where one is named. */
  text(field: string, rule: { readonly charsMax: number; readonly absent?: string }): string {
    const value = this.#body[field];
    if (value === undefined && rule.absent !== undefined) return rule.absent;
    if (typeof value !== "string" || value.trim() === "") return this.#refuse(field, value, "a text", "");
    if (value.length <= rule.charsMax) return value;
    return this.#refuse(field, value, `at most ${rule.charsMax} characters`, "");
  }

  /** A whole number from 1 to a million; absent gives `absent` where one is named. */
  count<Absent extends number | null>(field: string, rule: { readonly absent: Absent }): number | Absent {
    const value = this.#body[field];
    if (value === undefined) return rule.absent;
    const fits = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= placeMax;
    return fits ? value : this.#refuse(field, value, `a whole number from 1 to ${placeMax}`, 0);
  }

  /** A number above zero, up to `max`. */
  amount(field: string, rule: { readonly max: number }): number {
    const value = this.#body[field];
    if (typeof value === "number" && value > 0 && value <= rule.max) return value;
    return this.#refuse(field, value, `a number above 0, at most ${rule.max}`, 0);
  }

  /**
   * Which step of which case the body is about: `caseId`, `activity` (the service's own by default),
   * `occurrence` (1 by default) and `position` (unknown by default).
   */
  step(ownActivity: string): StepOfCase {
    return {
      caseId: this.text("caseId", { charsMax: nameCharsMax }),
      activity: this.text("activity", { charsMax: nameCharsMax, absent: ownActivity }),
      occurrence: this.count("occurrence", { absent: 1 }),
      position: this.count("position", { absent: null }),
    };
  }

  /** Notes that a field breaks a rule of its own. */
  refuse(field: string, message: string): void {
    this.#errors.push({ field, message });
  }

  #refuse<T>(field: string, value: Json | undefined, wanted: string, instead: T): T {
    const problem = value === undefined ? "is missing; it must be" : "must be";
    this.#errors.push({ field, message: `${field} ${problem} ${wanted}` });
    return instead;
  }
}
