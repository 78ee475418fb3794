/** The API of a server: its address, the token, and what a person can do where it refuses or does not answer. */

import { closeSync, openSync, readSync } from "node:fs";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import { isLoopbackAddress } from "../http/loopback.ts";
import { usage, type Call, type OptionSpec } from "./command.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";

/** Options of every command that a server can answer. */
export const SERVER_OPTIONS: readonly OptionSpec[] = [
  {
    name: "server",
    value: "URL",
    help: "work through this server, by the rights of your token; else FOOTHOLD_SERVER, or the database itself",
  },
  {
    name: "token-file",
    value: "FILE",
    help: "with a server: the file that holds your API token; FOOTHOLD_TOKEN when left out",
  },
];

/** A server that is asked. */
export interface Server {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Null = none is given: only `foothold dev` answers without one. */
  readonly token: string | null;
}

/** Options that say what is here, and so take the place of a server that the environment names. */
const HERE = ["database", "data", "config"] as const;
/** Longest file that a token is looked for in, in bytes. */
const TOKEN_FILE_BYTES_MAX = 4_096;

/** The server that a command is to go through; null = it works on the database. Throws `USAGE`. */
export function findServer(call: Call): Server | null {
  const named = call.text("server");
  const here = HERE.find((name) => call.text(name) !== null);
  if (named !== null && here !== undefined) {
    throw usage(call.command, `--${here} is for the database itself, and --server goes without it.`);
  }
  const address = named ?? (here === undefined ? (process.env["FOOTHOLD_SERVER"] ?? "") : "");
  if (address === "") {
    if (call.text("token-file") === null) return null;
    throw usage(call.command, "--token-file is for a server: name it with --server or FOOTHOLD_SERVER.");
  }
  if (call.text("by") !== null) {
    throw usage(
      call.command,
      "--by is for the database itself: a server knows by the token who acts. Leave it out.",
    );
  }
  const url = readAddress(call, address);
  const token = readToken(call);
  if (token !== null && url.protocol !== "https:" && !isThisMachine(url.hostname)) {
    throw usage(
      call.command,
      `Nothing was sent to ${url.origin}: by http everybody on the way could read the token and use it. ` +
        `Give the https address of the server.`,
    );
  }
  return { baseUrl: url.href.replace(/\/+$/, ""), token };
}

/** What is typed wrong may hold a password, so it is not repeated. */
function readAddress(call: Call, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url !== null && isWeb && `${url.username}${url.password}${url.search}${url.hash}` === "") return url;
  throw usage(
    call.command,
    "The address of the server must be such as https://foothold.example.com, without a name, password or query.",
  );
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname.replaceAll(/[[\]]/g, ""));
}

function readToken(call: Call): string | null {
  const file = call.text("token-file");
  const text = file === null ? (process.env["FOOTHOLD_TOKEN"] ?? "") : readTokenFile(call, file);
  const token = text.trim();
  if (file === null && token === "") return null;
  if (/^[\w-]{1,200}$/.test(token)) return token;
  throw usage(
    call.command,
    `${file === null ? "FOOTHOLD_TOKEN" : file} holds no API token, which is one word of letters, digits, - and _.`,
  );
}

function readTokenFile(call: Call, file: string): string {
  const bytes = Buffer.alloc(TOKEN_FILE_BYTES_MAX);
  try {
    const opened = openSync(file, "r");
    try {
      return bytes.toString("utf8", 0, readSync(opened, bytes));
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(call.command, `--token-file ${file} cannot be read: ${why}.`);
  }
}

/** What a server told, with what a person can do about it here. */
export function explained(error: unknown, { baseUrl, token }: Server): unknown {
  if (!isFootholdError(error)) return error;
  const { code, message, cause } = error;
  if (code === "NOT_SIGNED_IN") {
    return again(error, `${baseUrl} does not know who asks. ${token === null ? NO_TOKEN : BAD_TOKEN}`);
  }
  if (code === "NOT_ALLOWED") {
    return again(
      error,
      `${message} Have somebody do it who has the right, or ask for a role that grants it; a token may be narrower than its person.`,
    );
  }
  const why = code === "SERVER_UNREACHABLE" ? reasonOf(cause) : null;
  return why === null ? error : again(error, `${message} The reason was ${why}.`);
}

const NO_TOKEN =
  `Put an API token in FOOTHOLD_TOKEN, or in a file that --token-file names; who looks after the server makes one ` +
  `with: ${SPOKEN_NAME} tokens create LABEL --person NAME`;
const BAD_TOKEN =
  `The token is mistyped, revoked or past its end, or its person may not sign in any more; who looks after the ` +
  `server sees it with: ${SPOKEN_NAME} tokens list`;

function again(error: FootholdError, message: string): FootholdError {
  return new FootholdError(error.code, message, { details: error.details, cause: error });
}

/** Causes of causes that are looked through. */
const CAUSES_MAX = 5;

/** The code of what kept an answer away, such as `ECONNREFUSED`; null = nothing has one. */
function reasonOf(cause: unknown): string | null {
  let one = cause;
  for (let depth = 0; depth < CAUSES_MAX && one instanceof Error; depth += 1) {
    if ("code" in one && typeof one.code === "string") return one.code;
    if (one.name === "TimeoutError") return "that it took too long";
    one = one.cause;
  }
  return null;
}
