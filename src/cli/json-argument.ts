/** JSON given on the command line: as it stands, from a file, or from stdin. */

import type { Call } from "./command.ts";
import { readFile } from "node:fs/promises";
import { FootholdError } from "../core/errors.ts";
import { findInexactNumber } from "../core/inexact-number.ts";
import type { Json } from "../core/json.ts";

/** Largest JSON text, in bytes. */
const JSON_BYTES_MAX = 1024 * 1024;

/** How to write one, for the help. */
export const JSON_VALUE_HELP = "JSON, @FILE or - for stdin";

/** Reads a JSON argument. Throws `INVALID_REQUEST` naming `option`. */
async function readJsonArgument(option: string, argument: string): Promise<Json> {
  const text = await readText(option, argument);
  if (Buffer.byteLength(text) > JSON_BYTES_MAX) {
    throw invalid(option, `is larger than ${JSON_BYTES_MAX} bytes`);
  }
  const value = parse(option, text);
  const inexact = findInexactNumber(text);
  if (inexact === null) return value;
  throw invalid(
    option,
    `has the number ${inexact.slice(0, 60)}, which would be changed on reading; write it as a text`,
  );
}

function parse(option: string, text: string): Json {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is parsed as JSON is JSON
    return JSON.parse(text) as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(option, `is no JSON: ${why}`, error);
  }
}

async function readText(option: string, argument: string): Promise<string> {
  if (argument === "-") return readStdin(option);
  if (!argument.startsWith("@")) return argument;
  try {
    return await readFile(argument.slice(1), "utf8");
  } catch (error) {
    throw invalid(option, `names a file that cannot be read: ${argument.slice(1)}`, error);
  }
}

async function readStdin(option: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    // Without an encoding set, stdin gives buffers.
    const buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += buffer.length;
    if (bytes > JSON_BYTES_MAX) throw invalid(option, `is larger than ${JSON_BYTES_MAX} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function invalid(option: string, what: string, cause?: unknown): FootholdError {
  return new FootholdError("INVALID_REQUEST", `--${option} ${what}.`, { cause });
}

/** An option that holds a JSON value; `otherwise` where it was left out. */
export async function readJsonOption<Otherwise>(
  call: Call,
  name: string,
  otherwise: Otherwise,
): Promise<Json | Otherwise> {
  const argument = call.text(name);
  return argument === null ? otherwise : readJsonArgument(name, argument);
}
