/** Reads `each`: what is done for every key of a list, and how the list and its keys are had. */

import { EACH_CHILDREN_MAX, EACH_KEYS_MAX, keysFault, NO_FURTHER_ITEM } from "../core/each.ts";
import { FootholdError } from "../core/errors.ts";
import { readJson, type Json } from "../core/json.ts";
import type { EachStepOutline, SendStepOutline } from "../core/outline.ts";
import { partOutline, STILL_AN_ITEM } from "../core/part-outline.ts";
import { disarmed } from "./answers.ts";
import type { EachItem, Facts, RuntimeEachStep, RuntimeSendStep } from "./case-type.ts";
import { describeValue } from "./describe-value.ts";
import { inSight, type Sight } from "./in-sight.ts";
import { isAsyncFunction, type AuthorFunction, type OptionReader } from "./option-reader.ts";
import { CHILD_OPTIONS } from "./read-child.ts";
import { conditionsOf, outlineOf, type Following } from "./read-following.ts";
import { SEND_OPTIONS } from "./read-send.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** Keys under way at once where nothing else is said, and at most. */
const AT_ONCE = 10;
const AT_ONCE_MAX = 100;

/** Characters of the name of an `each`: its keys come beside it in the idempotency key. */
const NAME_CHARS_MAX = 32;

const OWN_OPTIONS = ["items", "key", "atOnce", "inOrder"];

/** The options of an `each`: those of a step that sends, but for what is asked once for every one, and its own. */
export const EACH_OPTIONS: readonly string[] = [
  ...SEND_OPTIONS.filter((name) => name !== "before"),
  ...OWN_OPTIONS,
];

/** The options of an `each` with a child for every key. */
export const EACH_CHILD_OPTIONS: readonly string[] = [...CHILD_OPTIONS, ...OWN_OPTIONS];

/**
 * Reads an `each` and notes its faults; null after one that leaves nothing to make. `readItem` reads what is done for every
 * key.
 */
export function readEach(
  options: OptionReader,
  following: Following,
  readItem: (following: Following) => ((sight: Sight) => RuntimeSendStep) | null,
): ((sight: Sight) => RuntimeEachStep) | null {
  const items = readPure(options, "items", "gives the items");
  const keyOf = readPure(options, "key", "names an item");
  const inOrder = options.flag("inOrder");
  const atOnce = options.count("atOnce", { default: inOrder ? 1 : AT_ONCE, min: 1, max: AT_ONCE_MAX });
  if (inOrder && options.value("atOnce") !== undefined) {
    options.fault(
      "atOnce",
      "says nothing where `inOrder` is true: one key is under way at a time. Leave one of them out",
    );
  }
  if (following.name.length > NAME_CHARS_MAX) {
    options.fault(
      "",
      `has a name of ${following.name.length} characters, at most ${NAME_CHARS_MAX} are allowed here`,
    );
  }
  for (const name of [STILL_AN_ITEM.name, NO_FURTHER_ITEM.name]) {
    if (following.requires.some(({ outline }) => outline.name === name))
      options.fault(`requires.${name}`, "is asked of every `each` already: give yours another name");
  }
  const send = readItem(following);
  if (send === null || items === null || keyOf === null) return null;
  return (sight) => {
    const template = send(sight);
    const item: SendStepOutline = { ...template.outline, when: [], requires: [] };
    const outline: EachStepOutline = {
      ...outlineOf(following, sight),
      kind: "each",
      item,
      atOnce,
      ...(inOrder ? { inOrder } : {}),
      keys: null,
    };
    const max = item.child === undefined ? EACH_KEYS_MAX : EACH_CHILDREN_MAX;
    const read = (facts: Facts): readonly EachItem[] => readItems({ items, keyOf, max }, facts, sight);
    return {
      kind: "each",
      outline,
      ...conditionsOf(following, sight),
      items: read,
      part: (key) => partOf({ outline, template, read }, key),
    };
  };
}

function readPure(options: OptionReader, name: "items" | "key", what: string): AuthorFunction | null {
  const read = options.requiredFunction(name, what);
  if (read !== null && isAsyncFunction(read)) {
    options.fault(name, "must not be async: it is asked of what is known, and changes nothing");
  }
  return read;
}

interface ListFunctions {
  readonly items: AuthorFunction;
  readonly keyOf: AuthorFunction;
  readonly max: number;
}

/** The items as JSON with their keys. Throws what the author's functions throw, and `INVALID_DEFINITION` for what are no items. */
function readItems({ items, keyOf, max }: ListFunctions, facts: Facts, sight: Sight): readonly EachItem[] {
  const given = disarmed(items(inSight(facts, sight)));
  const read = given instanceof Promise ? null : readJson(given, VALUE_CHARS_MAX);
  if (read?.kind !== "json") throw noItems(sight, read === null ? "it is a promise" : read.why);
  if (!Array.isArray(read.value)) throw noItems(sight, `it is ${describeValue(given)} instead of a list`);
  const list: readonly Json[] = read.value;
  if (list.length > max)
    throw noItems(
      sight,
      keysFault(
        list.map((_, index) => `${index}`),
        max,
      ) ?? "",
    );
  const named = list.map((item): EachItem => ({ key: String(disarmed(keyOf(item))), item }));
  const fault = keysFault(
    named.map(({ key }) => key),
    max,
  );
  if (fault !== null) throw noItems(sight, fault);
  return named;
}

function noItems({ step, caseType }: Sight, why: string): FootholdError {
  const message = `What items of ${step} in case type ${caseType} gave cannot be taken: ${why}.`;
  return new FootholdError("INVALID_DEFINITION", message, { details: { step } });
}

interface Parts {
  readonly outline: EachStepOutline;
  readonly template: RuntimeSendStep;
  readonly read: (facts: Facts) => readonly EachItem[];
}

/** The functions of the step of one key, which are given its item as it is now. */
function partOf({ outline: each, template, read }: Parts, key: string): RuntimeSendStep {
  const outline = partOutline(each, key);
  const withItem = <Context extends Facts>(context: Context): Context & EachItem => {
    const found = read(context).find((one) => one.key === key);
    if (found !== undefined) return { ...context, ...found };
    throw new FootholdError("INVALID_DEFINITION", `${outline.name} is not among the items any more.`, {
      details: { step: outline.name },
    });
  };
  const { request, run, check, undo, before } = template;
  const asked = (conditions: typeof before): typeof before =>
    conditions.map((one) =>
      one.kind === "fact" ? one : { ...one, ask: async (context) => one.ask(withItem(context)) },
    );
  return {
    ...template,
    outline,
    when: [],
    requires: [],
    before: asked(before),
    request: request === null ? null : (facts) => request(withItem(facts)),
    run: async (context) => run(withItem(context)),
    check: check === null ? null : async (context) => check(withItem(context)),
    undo:
      undo === null || outline.undo === null
        ? null
        : { ...undo, outline: outline.undo, before: asked(undo.before) },
  };
}
