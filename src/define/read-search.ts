/** Reads what a case type declares that its cases can be found by: `attributes` and `tags`. */

import {
  ATTRIBUTES_MAX,
  mayBeMasked,
  TAG,
  TAG_PATHS_MAX,
  type AttributeOutline,
  type AttributeType,
  type SearchOutline,
  type ValuePath,
} from "../core/search-outline.ts";
import { readMaskedPath } from "../core/masked-values.ts";
import type { CaseType } from "./case-type.ts";
import { resultPaths } from "./masking.ts";
import { nameFault } from "./names.ts";
import type { OptionReader } from "./option-reader.ts";

/** An attribute as authors write it: its type, where the input has a field of its name, or where its value is. */
export type AttributeOption =
  | AttributeType
  | {
      readonly type: AttributeType;
      /** Dotted names of fields; the name of the attribute when left out. */
      readonly path?: string;
      /** The step whose result the value is in; the input when left out. */
      readonly step?: string;
    };

/** Attributes and tags without what is masked. */
type SearchDraft = Omit<SearchOutline, "masked">;

/** Reads both options; null where nothing is declared. */
export function readSearch(options: OptionReader, steps: readonly string[]): SearchDraft | null {
  const attributes = readAttributes(options, steps);
  const tags = readTags(options);
  return attributes.length === 0 && tags.length === 0 ? null : { attributes, tags };
}

/** What is declared, with what is masked beside it. A value that people see as a mark must not be found by: that is a fault. */
export function maskedSearch(draft: SearchDraft, caseType: CaseType, options: OptionReader): SearchOutline {
  const { input } = caseType.masks;
  const steps = Object.keys(caseType.steps);
  const results = steps.map((step) => [step, resultPaths(caseType, step)] as const);
  for (const { name, step, path } of draft.attributes) {
    const masked = step === null ? input : (results.find(([one]) => one === step)?.[1] ?? []);
    if (mayBeMasked(path, masked)) options.fault(`attributes.${name}`, sayMasked(path, step));
  }
  for (const path of draft.tags.filter((one) => mayBeMasked(one, input))) {
    options.fault("tags", sayMasked(path, null));
  }
  return {
    ...draft,
    masked: { input, results: Object.fromEntries(results.filter(([, paths]) => paths.length > 0)) },
  };
}

function sayMasked(path: ValuePath, step: string | null): string {
  const of = step === null ? "the input" : `the result of ${step}`;
  return (
    `${path.join(".")} of ${of} is masked, and whoever can search for a value can find it out: ` +
    `take it out of one of the two`
  );
}

function readAttributes(options: OptionReader, steps: readonly string[]): readonly AttributeOutline[] {
  const written = options.value("attributes");
  const names =
    typeof written === "object" && written !== null && !Array.isArray(written) ? Object.keys(written) : [];
  if (names.length > ATTRIBUTES_MAX) {
    options.fault("attributes", `has ${names.length}, at most ${ATTRIBUTES_MAX} are allowed`);
  }
  const reader = options.nested("attributes", names);
  return names.flatMap((name) => readAttribute(reader, name, steps));
}

function readAttribute(
  reader: OptionReader,
  name: string,
  steps: readonly string[],
): readonly AttributeOutline[] {
  const wrongName = name === TAG ? "is what tags are found by: give it another name" : nameFault(name);
  if (wrongName !== null) reader.fault(name, wrongName);
  const written = reader.value(name);
  if (typeof written === "string") {
    if (isAttributeType(written)) return [{ name, type: written, step: null, path: [name] }];
    reader.fault(name, NO_TYPE);
    return [];
  }
  const attribute = reader.nested(name, ["type", "path", "step"]);
  const type = attribute.value("type");
  if (!isAttributeType(type)) attribute.fault("type", NO_TYPE);
  const path = readPath(attribute, "path", attribute.value("path") ?? name);
  const step = attribute.optionalText("step", "the step whose result has the value");
  if (step !== null && !steps.includes(step)) {
    attribute.fault("step", `there is no step ${step}. There are: ${steps.join(", ") || "none"}`);
  }
  return isAttributeType(type) && path !== null ? [{ name, type, step, path }] : [];
}

const TYPES: Readonly<Record<AttributeType, true>> = { text: true, number: true, time: true, boolean: true };
const NO_TYPE = `must be one of ${Object.keys(TYPES).join(", ")}`;

function isAttributeType(value: unknown): value is AttributeType {
  return typeof value === "string" && Object.hasOwn(TYPES, value);
}

function readTags(options: OptionReader): readonly ValuePath[] {
  const written = options.optionalNames("tags") ?? [];
  if (written.length > TAG_PATHS_MAX) {
    options.fault("tags", `has ${written.length} paths, at most ${TAG_PATHS_MAX} are allowed`);
  }
  return written.flatMap((one) => {
    const path = readPath(options, "tags", one);
    return path === null ? [] : [path];
  });
}

function readPath(options: OptionReader, name: string, written: unknown): ValuePath | null {
  const path = typeof written === "string" ? readMaskedPath(written) : null;
  if (path !== null && !path.includes("*") && !path.includes("**")) return path;
  options.fault(name, `${JSON.stringify(written)} is no path: give dotted names, such as "customer.country"`);
  return null;
}
