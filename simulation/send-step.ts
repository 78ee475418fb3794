/** The functions of a simulated step that sends: what a careful author writes for each kind of destination. */

import type { CheckAnswer } from "../src/core/journal.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import type {
  CheckContext,
  Facts,
  RunContext,
  RuntimeCondition,
  RuntimeSendStep,
  UndoneEffect,
} from "../src/define/case-type.ts";
import { undoneName, VERSION } from "./case-shape.ts";
import type { SimulatedDestination, SimulatedRequest } from "./destination.ts";
import type { InFlightWatch } from "./in-flight-watch.ts";
import type { Outside } from "./outside.ts";
import type { SimulatedProcess } from "./process.ts";

/** Binds a step to a process and its way to the destinations. `when` and `requires` are left to the caller. */
export function bindSend(
  outline: SendStepOutline,
  process: SimulatedProcess,
  { destinations, inFlight }: Pick<Outside, "destinations" | "inFlight">,
): RuntimeSendStep {
  const destination = destinations.get(outline.destination.repeatSafety.by);
  if (destination === undefined) throw new Error(`no destination ${outline.destination.name}`);
  const way: Way = { process, destination, inFlight };
  const { undo } = outline;
  return {
    kind: "step",
    outline,
    when: [],
    requires: [],
    before: outline.before.map(() => versionOf(outline, process, destination)),
    result: null,
    undo: undo === null ? null : bindUndo(undo, way),
    sorters: [],
    isHttpAlone: false,
    request: outline.hasRequest ? (facts) => contentOf(outline, facts) : null,
    run: async (context) => {
      const request = requestFor(outline, context, wantedBy(outline, context));
      return { id: await send(way, request, context) };
    },
    check: outline.hasCheck
      ? async (context) => check(process, destination, askedBy(outline, context), context)
      : null,
  };
}

/** From a process to a destination. */
interface Way {
  readonly process: SimulatedProcess;
  readonly destination: SimulatedDestination;
  readonly inFlight: InFlightWatch;
}

async function send(
  { process, destination, inFlight }: Way,
  request: SimulatedRequest,
  { signal, transaction, attempt }: RunContext,
): Promise<string> {
  if (destination.contract === "transaction") return destination.stage(process, request, transaction);
  const end = inFlight.begin(process, destination.name, { ...request, attempt });
  try {
    return await destination.send(process, request, signal);
  } finally {
    end();
  }
}

/** Takes back by its id what the step did. */
function bindUndo(outline: SendStepOutline, way: Way): RuntimeSendStep {
  const { process, destination } = way;
  return {
    kind: "step",
    outline,
    when: [],
    requires: [],
    before: outline.before.map(() => versionOf(outline, process, destination)),
    result: null,
    undo: null,
    sorters: [],
    isHttpAlone: false,
    request: null,
    run: async (context, undone) => {
      const undoes = idIn(undone);
      const request = requestFor(outline, context, { content: `undo ${undoes}`, undoes });
      return { id: await send(way, request, context) };
    },
    check: outline.hasCheck
      ? async (context, undone) => {
          const { caseId, idempotencyKey } = context;
          const asked = { key: idempotencyKey, name: nameOf(outline, caseId, ""), undoes: idIn(undone) };
          return check(process, destination, asked, context);
        }
      : null,
  };
}

function idIn(undone: UndoneEffect | undefined): string {
  const result = undone?.result;
  if (result !== undefined && isJsonObject(result) && typeof result["id"] === "string") return result["id"];
  throw new Error("an undo was not told what it takes back");
}

function versionOf(
  outline: SendStepOutline,
  process: SimulatedProcess,
  destination: SimulatedDestination,
): RuntimeCondition {
  return {
    kind: "probe",
    name: VERSION,
    ask: async ({ caseId, signal }) => {
      const version = await destination.readVersion(process, nameOf(outline, caseId, ""), signal);
      return { kind: "holds", version };
    },
  };
}

type Asked = Pick<SimulatedRequest, "key" | "name" | "undoes">;

function askedBy(outline: SendStepOutline, context: CheckContext): Asked {
  const { content } = wantedBy(outline, context);
  return { key: context.idempotencyKey, name: nameOf(outline, context.caseId, content), undoes: null };
}

async function check(
  process: SimulatedProcess,
  destination: SimulatedDestination,
  asked: Asked,
  { fencingToken, signal }: CheckContext,
): Promise<CheckAnswer> {
  const found =
    destination.contract === "fence"
      ? await destination.raise(process, { ...asked, fencingToken }, signal)
      : await destination.find(process, asked, signal);
  if (found === null) return { kind: "didNotHappen" };
  const { id, request } = found;
  const result = { kind: "value", value: { id } } as const;
  return { kind: "happened", result, evidence: { id }, fingerprint: request.fingerprint };
}

/** What a step asks for: the input it uses and what it follows; where it is rechecked, less than its basis covers. */
export function contentOf(
  { name, part, uses, closure, hasRequest, onLapse }: SendStepOutline,
  { input, results }: Pick<Facts, "input" | "results">,
): JsonObject {
  const about = part === undefined ? {} : { item: name };
  if (onLapse === "recheck" && hasRequest)
    return { ...about, input: fieldsOf(input, ["amount", "isFaulty"]) };
  const used = uses === null ? input : fieldsOf(input, uses);
  return { ...about, input: used, after: closure.map((one) => results[one] ?? null) };
}

/** Whether a step is needed that is so only for large amounts. */
export function isLarge(input: Json): boolean {
  return isJsonObject(input) && Number(input["amount"]) > 1;
}

function fieldsOf(input: Json, names: readonly string[]): Json {
  if (!isJsonObject(input)) return input;
  return Object.fromEntries(names.map((one) => [one, input[one] ?? null]));
}

interface Wanted {
  readonly content: string;
  readonly isFaulty?: boolean;
  readonly undoes?: string;
}

function wantedBy(
  outline: SendStepOutline,
  context: Facts & { readonly request?: Json | undefined },
): Wanted {
  const content = context.request ?? contentOf(outline, context);
  const input = isJsonObject(content) ? content["input"] : null;
  const isFaulty = input !== undefined && isJsonObject(input) && input["isFaulty"] === true;
  return { content: canonicalJson(content), isFaulty };
}

function requestFor(
  outline: SendStepOutline,
  { caseId, idempotencyKey: key, fencingToken, fingerprint, version }: RunContext,
  { content, isFaulty = false, undoes }: Wanted,
): SimulatedRequest {
  return {
    key,
    caseId,
    step: outline.name,
    intentVersion: Number(key.slice(key.lastIndexOf(".") + 1)),
    content,
    isFaulty,
    fingerprint,
    name: nameOf(outline, caseId, content),
    version,
    fencingToken,
    undoes: undoes ?? null,
  };
}

/**
 * The thing that a request is about. One fence stands around all of a case; a step that is done again where names are
 * unique makes another thing, named after its content.
 */
function nameOf({ name, destination, onLapse }: SendStepOutline, caseId: string, content: string): string {
  const { by } = destination.repeatSafety;
  if (by === "fence") return caseId;
  const thing = `${caseId}/${undoneName(name)}`;
  return by === "unique" && onLapse === "redo" ? `${thing} ${content}` : thing;
}
