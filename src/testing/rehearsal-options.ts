/** Checks what a rehearsal was given, whoever wrote it: a slip of the pen would rehearse less than its author believes. */

import { FootholdError, type FieldFault } from "../core/errors.ts";
import type { CaseOutline } from "../core/outline.ts";
import { nameWithoutKey } from "../core/part-name.ts";
import type { CaseType } from "../define/case-type.ts";
import { childStepsOf } from "../define/children.ts";
import { describeValue } from "../define/describe-value.ts";
import { OptionReader } from "../define/option-reader.ts";

const GIVEN_OPTIONS = ["approvals", "events", "corrected"];
const FUNCTIONS = ["effects", "prepare", "finish"];
const OPTIONS = ["input", "children", "correct", "startAt", "patience", ...GIVEN_OPTIONS, ...FUNCTIONS];

/** Throws `INVALID_REQUEST` with every fault; and `INVALID_DEFINITION`, where a case type has some of its own. */
export function refuseFaulty(caseType: unknown, options: unknown): void {
  if (!isCaseType(caseType)) {
    const message = `give a case type of defineCase first, not ${describeValue(caseType)}`;
    throw refusal("The rehearsal", [{ path: "", message }]);
  }
  const faults: FieldFault[] = [];
  const reader = new OptionReader(options, "", OPTIONS, faults);
  if (reader.value("input") === undefined) reader.fault("input", "is missing: say what a case starts with");
  for (const name of FUNCTIONS) reader.optionalFunction(name);
  checkGiven(reader, caseType.outline);
  checkCorrect(reader, caseType.outline);
  checkChildren(reader, caseType.outline);
  if (faults.length > 0) throw refusal(`The rehearsal of ${caseType.outline.name}`, faults);
}

function refusal(what: string, fields: readonly FieldFault[]): FootholdError {
  const told = fields.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`);
  const count = fields.length === 1 ? "1 fault" : `${fields.length} faults`;
  const message = `${what} has ${count}; correct:\n${told.join("\n")}`;
  return new FootholdError("INVALID_REQUEST", message, { details: { fields } });
}

/** What people and senders give the cases of one type. */
function checkGiven(reader: OptionReader, outline: CaseOutline): void {
  const { name, events, steps } = outline;
  const approvals = steps.filter(({ kind }) => kind === "approval").map((step) => step.name);
  const sends = steps.filter(({ kind }) => kind === "step" || kind === "each").map((step) => step.name);
  for (const step of keysOf(reader, "approvals"))
    checkName(reader, `approvals.${step}`, step, `an approval of ${name}`, approvals);
  for (const step of keysOf(reader, "corrected"))
    checkName(reader, `corrected.${step}`, step, `a step of ${name} that sends`, sends);
  const given: unknown = reader.value("events") ?? [];
  if (!Array.isArray(given)) {
    reader.fault("events", `must be a list of events, not ${describeValue(given)}`);
    return;
  }
  for (const [index, event] of given.entries()) {
    const one = reader.inside(`events[${index}]`, event, ["eventType", "payload", "after"]);
    const eventType = one.text("eventType", "which event it is");
    if (eventType !== "") checkName(one, "eventType", eventType, `an event of ${name}`, events);
    checkStep(one, "after", outline);
  }
}

function checkCorrect(reader: OptionReader, outline: CaseOutline): void {
  const correct = reader.value("correct");
  if (correct === undefined) return;
  const one = reader.inside("correct", correct, ["after", "input"]);
  if (one.value("after") === undefined) one.fault("after", "is missing: say once which step is confirmed");
  if (one.value("input") === undefined) one.fault("input", "is missing: give the whole input");
  checkStep(one, "after", outline);
}

function checkChildren(reader: OptionReader, outline: CaseOutline): void {
  const given: unknown = reader.value("children") ?? [];
  if (!Array.isArray(given)) {
    reader.fault("children", `must be a list such as [{ of: yourChild }], not ${describeValue(given)}`);
    return;
  }
  const outlines = [outline];
  for (const [index, child] of given.entries()) {
    const one = reader.inside(`children[${index}]`, child, ["of", ...GIVEN_OPTIONS]);
    const of = one.value("of");
    if (!isCaseType(of)) one.fault("of", `must be a case type of defineCase, not ${describeValue(of)}`);
    else {
      outlines.push(of.outline);
      checkGiven(one, of.outline);
    }
  }
  checkFamily(reader, outlines);
}

/** Whatever is started is given, and whatever is given is started. */
function checkFamily(reader: OptionReader, outlines: readonly CaseOutline[]): void {
  const names = outlines.map(({ name }) => name);
  const started = outlines.flatMap((one) => childStepsOf(one).map((step) => ({ ...step, by: one.name })));
  for (const of of new Set(started.map((one) => one.of).filter((one) => !names.includes(one)))) {
    const by = started.filter((one) => one.of === of).map((one) => `${one.step} of ${one.by}`);
    reader.fault(
      "children",
      `${by.join(" and ")} starts cases of ${of}: add { of: ${of} } with its definition, and the approvals, events and ` +
        "corrected that they need",
    );
  }
  for (const [index, name] of names.entries()) {
    if (index > 0 && !started.some(({ of }) => of === name))
      reader.fault(`children[${index - 1}].of`, `nothing here starts a case of ${name}`);
    if (names.indexOf(name) !== index) reader.fault(`children[${index - 1}].of`, `${name} is given twice`);
  }
}

/** The name of a step, with the key of an item or without. */
function checkStep(reader: OptionReader, option: string, { name, steps }: CaseOutline): void {
  const step = reader.value(option);
  if (step === undefined) return;
  const known = steps.map((one) => one.name);
  const plain = typeof step === "string" ? nameWithoutKey(step) : describeValue(step);
  checkName(reader, option, plain, `a step of ${name}`, known);
}

function checkName(
  reader: OptionReader,
  option: string,
  written: string,
  what: string,
  known: readonly string[],
): void {
  if (known.includes(written)) return;
  const there = known.length === 0 ? "there is none" : `there are ${known.join(", ")}`;
  reader.fault(option, `${written} is not ${what}; ${there}`);
}

function keysOf(reader: OptionReader, option: string): readonly string[] {
  const value = reader.value(option) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return Object.keys(value);
  reader.fault(option, `must be an object with one value for each step, not ${describeValue(value)}`);
  return [];
}

/** By shape: the file of a rehearsal may load another copy of the package. */
function isCaseType(value: unknown): value is CaseType {
  return typeof value === "object" && value !== null && "outline" in value && "steps" in value;
}
