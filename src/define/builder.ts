/** `defineCase`: collects what authors write and reads it when it is first needed. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Json } from "../core/json.ts";
import type { KeyFreedBy } from "../core/starting.ts";
import type { CaseType } from "./case-type.ts";
import type { ConcurrencyOption } from "./concurrency.ts";
import type { CaseDefinition } from "./definition.ts";
import { faultyDefinition } from "./faulty-definition.ts";
import { readCase, type CaseDraft, type CaseReading } from "./read-case.ts";
import type { AttributeOption } from "./read-search.ts";
import type { StepDraft } from "./read-step.ts";
import type { EventSchemas, CasePartsOf } from "./shape.ts";

/** What a case type needs before its first step. */
export interface CaseOptions<Input extends StandardSchemaV1, Events extends EventSchemas> {
  /** A whole number from 1; raised when a change of the definition must not reach workers that do not have it yet. */
  readonly version: number;
  /** Who takes whatever no destination owner covers. */
  readonly owner: string;
  /** What a case starts with. A start takes the schema's input; steps see its output, as JSON. */
  readonly input: Input;
  /**
   * The events that cases of this type take, by type: the schema of the payload, or `defineEvent` where there is more to
   * say. Default: none.
   */
  readonly events?: Events;
  /**
   * What cases are found by, in lists and counts, beside their business key: the name and the type of each value, which is the
   * field of that name in the input, or stands at `path` of the input or of the result of `step`. At most 20. Default: none.
   */
  readonly attributes?: { readonly [name: string]: AttributeOption };
  /** Paths of the input whose texts, or lists of them, are tags that cases are found by. At most 10. Default: none. */
  readonly tags?: readonly string[];
  /**
   * Paths of the input that people see as a mark until one of them reveals it: dotted names, such as `customer.iban`. Lists
   * are walked through; `*` stands for any name, `**` for any number of them. Default: none.
   */
  readonly masked?: readonly string[];
  /**
   * Steps that it had once, and has no more on purpose. A case that did one of them goes on without it; where a step that
   * took effect has vanished and is not named here, nothing new is begun in that case. Default: none.
   */
  readonly removed?: readonly string[];
  /**
   * When another case may start with the business key of one: `"nothing"` frees it, `"canceled"` = once that one is canceled,
   * `"end"` = once it is done or canceled. Until then a second start finds the first case. Default `"nothing"`.
   */
  readonly keyFreedBy?: KeyFreedBy;
  /**
   * How many cases of one key are worked on at once, such as one of each customer. Others of the key are held back, and go on in the
   * order in which they became due. Default: as many as workers take.
   */
  readonly concurrency?: ConcurrencyOption<CasePartsOf<Input, Events>["input"]>;
  /**
   * Further keys by which events find a case, beside its business key: outside ids in its input and results, such as the
   * id of a charge. Pure; asked whenever a step is confirmed. Default: none.
   */
  readonly keys?: (facts: {
    readonly caseId: string;
    readonly input: CasePartsOf<Input, Events>["input"];
    /** Results of confirmed steps; a step that is not confirmed is absent. */
    readonly results: { readonly [step: string]: Json | undefined };
  }) => readonly (string | null | undefined)[];
}

/** No events. */
export type NoEvents = { readonly [Type in never]: StandardSchemaV1 };

/** Begins a case type. Add its steps in the order in which they are done. */
export function defineCase<Input extends StandardSchemaV1, Events extends EventSchemas = NoEvents>(
  name: string,
  options: CaseOptions<Input, Events>,
): CaseDefinition<CasePartsOf<Input, Events>>;
// The types end here: what a JavaScript author writes is unknown too, and is read without trust.
export function defineCase(name: unknown, options: unknown): CaseBuilder {
  return new CaseBuilder({ name, options, steps: [] });
}

class CaseBuilder implements CaseType {
  readonly #draft: CaseDraft;
  #reading: CaseReading | null = null;

  constructor(draft: CaseDraft) {
    this.#draft = draft;
  }

  get outline(): CaseType["outline"] {
    return this.#sound().outline;
  }

  get input(): CaseType["input"] {
    return this.#sound().input;
  }

  get events(): CaseType["events"] {
    return this.#sound().events;
  }

  get eventRules(): CaseType["eventRules"] {
    return this.#sound().eventRules;
  }

  get keys(): CaseType["keys"] {
    return this.#sound().keys;
  }

  get concurrencyKey(): CaseType["concurrencyKey"] {
    return this.#sound().concurrencyKey;
  }

  get masks(): CaseType["masks"] {
    return this.#sound().masks;
  }

  get resultOf(): CaseType["resultOf"] {
    return this.#sound().resultOf;
  }

  get steps(): CaseType["steps"] {
    return this.#sound().steps;
  }

  get destinations(): CaseType["destinations"] {
    return this.#sound().destinations;
  }

  step(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "step", name, options });
  }

  each(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "each", name, options });
  }

  child(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "child", name, options });
  }

  eachChild(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "eachChild", name, options });
  }

  /** Nothing is added after it: it sees every step. */
  result(result: unknown): CaseBuilder {
    return new CaseBuilder({ ...this.#draft, result });
  }

  approval(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "approval", name, options });
  }

  waitForEvent(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "waitForEvent", name, options });
  }

  poll(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "poll", name, options });
  }

  sleep(name: unknown, options: unknown): CaseBuilder {
    return this.#with({ kind: "sleep", name, options });
  }

  #with(step: StepDraft): CaseBuilder {
    return new CaseBuilder({ ...this.#draft, steps: [...this.#draft.steps, step] });
  }

  #sound(): CaseType {
    this.#reading ??= readCase(this.#draft);
    if (this.#reading.kind === "sound") return this.#reading.caseType;
    const { name } = this.#draft;
    throw faultyDefinition([
      { name: typeof name === "string" ? name : "without a name", faults: this.#reading.faults },
    ]);
  }
}
