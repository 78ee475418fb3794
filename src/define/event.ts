/** `defineEvent`: what a case type says of an event beside its schema: whose it is, and what order means for it. */

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Json } from "../core/json.ts";
import type { MaskedPath } from "../core/masked-values.ts";
import type { EventRule, Validate } from "./case-type.ts";
import type { Duration } from "./duration.ts";
import { readMasked } from "./masking.ts";
import { isFunction, type OptionReader } from "./option-reader.ts";
import type { Jsonify } from "./jsonify.ts";

/** Longest hold for a predecessor, in ms: seven days. */
const HOLD_MS_MAX = 7 * 86_400_000;
const HOLD_MS = 15 * 60_000;

/** What is said of an event. */
export interface EventOptions<Payload> {
  /** The key of the case that it belongs to: its business key, or one of its `keys`. Left out = the source says it. */
  readonly correlate?: (payload: Payload) => string | null | undefined;
  /**
   * What becomes of an event that comes late. Left out: it is applied as it comes, and whoever acts on it asks for the
   * state of things anew, since no order is promised. `version`: one that is not above the highest version that the case
   * knows is ignored; `of` tells things apart that are counted apart. `after`: held until an event of that type was
   * applied, at most `within` (15 min), then a person looks.
   */
  readonly order?:
    | {
        readonly version: (payload: Payload) => number | string;
        readonly of?: (payload: Payload) => string;
      }
    | { readonly after: string; readonly within?: Duration };
  /** Paths of the payload that people see as a mark until one of them reveals it. Default: none. */
  readonly masked?: readonly string[];
}

/** An event with its schema and what is said of it. */
export interface EventDefinition<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  readonly kind: "event";
  readonly schema: Schema;
  /** Checked when the case type is read; what it takes is known to the compiler of the author only. */
  readonly options: unknown;
}

/** Says more of an event than its schema does. */
export function defineEvent<Schema extends StandardSchemaV1>(
  schema: Schema,
  options: EventOptions<Jsonify<StandardSchemaV1.InferOutput<Schema>>>,
): EventDefinition<Schema> {
  return { kind: "event", schema, options };
}

/** What an event is where only its schema is given. */
export const PLAIN_RULE: EventRule = { correlate: null, order: { by: "arrival" } };

/** Reads one event as written: a schema, or what `defineEvent` gave. Null after a fault. */
export function readEvent(
  reader: OptionReader,
  type: string,
): {
  readonly validate: Validate;
  readonly rule: EventRule;
  readonly masked: readonly MaskedPath[];
} | null {
  const value = reader.value(type);
  if (!isEventDefinition(value)) {
    const validate = reader.requiredSchema(type, "its payload");
    return validate === null ? null : { validate, rule: PLAIN_RULE, masked: [] };
  }
  const whole = reader.inside(type, value, ["kind", "schema", "options"]);
  const validate = whole.requiredSchema("schema", "its payload");
  const options = reader.inside(type, value.options, ["correlate", "order", "masked"]);
  const rule = readRule(options);
  const masked = readMasked(options);
  return validate === null ? null : { validate, rule, masked };
}

function isEventDefinition(value: unknown): value is EventDefinition {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "event" &&
    "options" in value
  );
}

function readRule(options: OptionReader): EventRule {
  const correlate = options.optionalFunction("correlate");
  return {
    correlate: correlate === null ? null : (payload) => textOf(correlate(payload), "correlate gives no text"),
    order: readOrder(options),
  };
}

function readOrder(options: OptionReader): EventRule["order"] {
  const written = options.value("order");
  if (written === undefined) return { by: "arrival" };
  const order = options.nested("order", ["version", "of", "after", "within"]);
  const version = order.optionalFunction("version");
  const after = order.optionalText("after", "which event must come first");
  if ((version === null) === (after === null)) {
    options.fault("order", "give either `version` or `after`");
    return { by: "arrival" };
  }
  if (after !== null) {
    const withinMs = order.duration("within", { defaultMs: HOLD_MS, minMs: 1_000, maxMs: HOLD_MS_MAX });
    return { by: "hold", after, withinMs };
  }
  const of = order.value("of");
  const thing = isFunction(of) ? of : null;
  return {
    by: "version",
    version: (payload) => versionOf(version?.(payload)),
    of: (payload) => (thing === null ? "" : (textOf(thing(payload), "`of` gives no text") ?? "")),
  };
}

function versionOf(value: unknown): number | string {
  if ((typeof value === "number" && Number.isFinite(value)) || typeof value === "string") return value;
  throw new TypeError("`version` gives neither a number nor a text");
}

function textOf(value: unknown, otherwise: string): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return value;
  throw new TypeError(otherwise);
}

/**
 * Why an event with this payload is not applied after others of its type; null = it is. Versions that are numbers are
 * compared as numbers, texts of digits as numbers of any length, other texts as texts.
 */
export function outdatedBy(
  rule: EventRule,
  payload: Json,
  known: readonly { readonly payload: Json; readonly at: number }[],
): string | null {
  if (rule.order.by !== "version") return null;
  const { version, of } = rule.order;
  const mine = version(payload);
  const thing = of(payload);
  const rivals = known.filter((one) => of(one.payload) === thing).map((one) => version(one.payload));
  const newer = rivals.find((one) => compareVersions(one, mine) >= 0);
  return newer === undefined ? null : `it is of version ${mine}, and the case knows version ${newer}`;
}

function compareVersions(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const texts = [String(one), String(other)] as const;
  const [a, b] = texts;
  if (/^\d{1,100}$/.test(a) && /^\d{1,100}$/.test(b)) {
    const [big, small] = [BigInt(a), BigInt(b)];
    return big === small ? 0 : big > small ? 1 : -1;
  }
  return a === b ? 0 : a > b ? 1 : -1;
}
