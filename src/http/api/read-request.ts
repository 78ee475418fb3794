/** Reads what a request says: parameters, a bounded body, the plan version. Throws `INVALID_REQUEST` naming each field. */

import { z } from "zod";
import { FootholdError, type FieldFault } from "../../core/errors.ts";
import { findInexactNumber } from "../../core/inexact-number.ts";

/** Bytes of one body: the longest value of a case, escaped, and something around it. */
export const BODY_BYTES_MAX: number = 2 * 1024 * 1024;
/** How deep a body may be nested. */
const DEPTH_MAX = 64;
/** Values in one body. */
const VALUES_MAX = 50_000;
/** Faults that are named; further ones are counted. */
const FAULTS_MAX = 50;

/** What a parameter is read as. */
type ParameterKind = "text" | "whole" | "flag" | "texts" | "words";

/** How the parameters of a query are read. */
export type QueryShape = ReadonlyMap<string, ParameterKind>;

const shapeSchema = z.object({
  properties: z.record(
    z.string(),
    z.looseObject({
      type: z.string().optional(),
      items: z.looseObject({ enum: z.array(z.string()).optional() }).optional(),
    }),
  ),
});

/** Reads from a schema which parameters there are, and of which kind. */
export function queryShape(schema: z.ZodType): QueryShape {
  const { properties } = shapeSchema.parse({ properties: {}, ...z.toJSONSchema(schema, { io: "input" }) });
  return new Map(
    Object.entries(properties).map(([name, { type, items }]) => [
      name,
      kindOf(type, items?.enum !== undefined),
    ]),
  );
}

function kindOf(type: string | undefined, isOfWords: boolean): ParameterKind {
  if (type === "integer" || type === "number") return "whole";
  if (type === "boolean") return "flag";
  if (type !== "array") return "text";
  return isOfWords ? "words" : "texts";
}

/** The parameters as values. An empty one, as a form sends it, is none; one that is unknown or repeated is refused. */
export function readQuery(search: URLSearchParams, shape: QueryShape): Record<string, unknown> {
  const faults: FieldFault[] = [];
  const read: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const kind = shape.get(name);
    const given = search.getAll(name).filter((value) => value !== "");
    if (kind === undefined) {
      const known = [...shape.keys()].join(", ") || "none";
      faults.push({ path: name.slice(0, 60), message: `is not a parameter here; there are: ${known}` });
    } else if (kind === "texts" || kind === "words") {
      // Words have no comma in them; a text may.
      const all = kind === "texts" ? given : given.flatMap((value) => value.split(","));
      if (given.length > 0) read[name] = all.filter((one) => one !== "");
    } else if (given.length > 1) {
      faults.push({ path: name, message: "is given more than once" });
    } else if (given[0] !== undefined) {
      read[name] = readValue(kind, given[0]);
    }
  }
  if (faults.length > 0) throw invalid("The query cannot be read", faults);
  return read;
}

function readValue(kind: Exclude<ParameterKind, "texts" | "words">, value: string): unknown {
  if (kind === "whole") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (kind === "flag") return value === "true" ? true : value === "false" ? false : value;
  return value;
}

/** A value as a schema has it. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const faults = issues.slice(0, FAULTS_MAX).map(({ path, message }) => ({
    path: path.map(String).join("."),
    message: message.slice(0, 300),
  }));
  throw invalid(what, faults);
}

function invalid(what: string, fields: readonly FieldFault[]): FootholdError {
  const told = fields.map(({ path, message }) => (path === "" ? message : `${path} ${message}`)).join("; ");
  return new FootholdError("INVALID_REQUEST", `${what}: ${told.slice(0, 2_000)}.`, { details: { fields } });
}

/** A body that cannot be taken, with the status that says why. */
export type BodyRefusal = { readonly status: 413 | 415; readonly error: FootholdError };

/** The body as a value, or why it is not even read. Nothing is kept of one that is too long. */
export async function readBody(request: Request): Promise<{ readonly value: unknown } | BodyRefusal> {
  const type = request.headers.get("content-type") ?? "";
  const bytes = await readBytes(request);
  if (bytes === null) return refuse(413, `The body is longer than the ${BODY_BYTES_MAX} bytes allowed.`);
  if (bytes.length === 0) return { value: {} };
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return refuse(415, "A body is taken as application/json only.");
  }
  return { value: parse(bytes) };
}

function refuse(status: 413 | 415, message: string): BodyRefusal {
  return { status, error: new FootholdError("INVALID_REQUEST", message) };
}

async function readBytes({ body, headers }: Request): Promise<Uint8Array | null> {
  if (Number(headers.get("content-length") ?? 0) > BODY_BYTES_MAX) return null;
  if (body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    length += value.length;
    if (length > BODY_BYTES_MAX) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw new FootholdError("INVALID_REQUEST", "The body is not JSON in UTF-8.", { cause: error });
  }
  checkNesting(value);
  const inexact = findInexactNumber(text);
  if (inexact === null) return value;
  throw new FootholdError(
    "INVALID_REQUEST",
    `The body has the number ${inexact.slice(0, 60)}, which would be changed on reading; write it as a text.`,
  );
}

/** Without recursion: what is too deep must not be what ends the walk. */
function checkNesting(root: unknown): void {
  let level: readonly unknown[] = [root];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > DEPTH_MAX || values > VALUES_MAX) {
      const bound = depth > DEPTH_MAX ? `${DEPTH_MAX} levels` : `${VALUES_MAX} values`;
      throw new FootholdError("INVALID_REQUEST", `The body has more than the ${bound} allowed.`);
    }
    level = level.flatMap((one) => {
      if (typeof one !== "object" || one === null) return [];
      if (Object.hasOwn(one, "__proto__")) {
        throw new FootholdError("INVALID_REQUEST", "The body has a field __proto__, which is never taken.");
      }
      const parts: readonly unknown[] = Object.values(one);
      return parts;
    });
  }
}

/** The plan version in `If-Match`; undefined = `*`, whatever it is now. Null = there is no such header. */
export function readPlan(header: string | undefined): { readonly plan: string | undefined } | null {
  const value = header?.trim() ?? "";
  if (value === "") return null;
  if (value === "*") return { plan: undefined };
  const [, plan] = /^(?:W\/)?"([^"]{1,60})"$/.exec(value) ?? [];
  if (plan !== undefined) return { plan };
  throw new FootholdError(
    "INVALID_REQUEST",
    `If-Match must hold one plan version in quotes, such as "p12.0123456789abcdef", or *.`,
  );
}
