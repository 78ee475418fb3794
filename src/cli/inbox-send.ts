/** `inbox send`: a test event, signed as its provider would. */

import { readFileSync } from "node:fs";
import { FootholdError } from "../core/errors.ts";
import { sourceNamed } from "../inbox/inbox.ts";
import { signBody } from "../inbox/sign-body.ts";
import { signRequest } from "../inbox/sign.ts";
import { JSON_OPTION } from "./act.ts";
import { loadConfig, configMissing, findConfigFile } from "./config-file.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { PORT } from "./dev.ts";
import { say, sayJson } from "./terminal.ts";

/** How long the server may take to answer, in ms. */
const ANSWER_MS_MAX = 30_000;

/** Signs an event as its provider would, and posts it. */
export const inboxSendCommand: Command = {
  name: "inbox send",
  summary: "sign a test event as the provider of a source would, and post it to a server here",
  positionals: ["SOURCE"],
  options: [
    { name: "body", value: "JSON", help: "what to send; @FILE reads it from a file" },
    {
      name: "type",
      value: "TYPE",
      help: "its type, where the provider names it in a header; test when left out",
    },
    {
      name: "id",
      value: "ID",
      help: "its id, where the provider names it in a header; random when left out",
    },
    { name: "url", value: "URL", help: `where to; http://127.0.0.1:${PORT}/inbox/SOURCE when left out` },
    { name: "config", value: "FILE", help: "configuration, whose secret is used" },
    JSON_OPTION,
  ],
  noServer: "it posts to an inbox as a provider does, by the secret in the configuration; --url says where",
  notes: [
    "Send the same --id twice to see that a repeat changes nothing.",
    "Where the proof stands in the body, or the provider sends forms, --body is the JSON without it.",
  ],
  run: async (call) => {
    const name = needed(call, 0);
    const written = readBody(call);
    const file = findConfigFile(call.text("config"), process.cwd());
    if (file === null) throw configMissing(process.cwd());
    const source = sourceNamed((await loadConfig(file)).sources, name);
    const url = call.text("url") ?? `http://127.0.0.1:${PORT}/inbox/${name}`;
    if (!URL.canParse(url)) throw usage(call.command, `--url ${JSON.stringify(url)} is no address.`);
    const [secret] = source.secrets();
    if (secret === undefined)
      throw new FootholdError("CONFIG_INVALID", `The source ${name} has no secret: see its \`secrets\`.`);
    const body = signBody(source.preset, { body: written, secret: secret.secret });
    const headers = signRequest(source.preset, {
      method: "POST",
      url: source.url ?? url,
      body,
      secret: secret.secret,
      at: Date.now(),
      id: call.text("id") ?? crypto.randomUUID(),
      eventType: call.text("type") ?? "test",
    });
    const { status, text } = await post(url, headers, body);
    if (call.flag("json")) sayJson({ status, body: text });
    else say(`${url} answered ${status}${text === "" ? "" : `: ${JSON.stringify(text)}`}`);
    if (status < 200 || status >= 300) {
      const what = WHAT_TO_DO[status] ?? "see what the server prints";
      throw new FootholdError("INVALID_REQUEST", `The server took nothing: it answered ${status}; ${what}.`);
    }
  },
};

/** What a person can do about an answer. */
const WHAT_TO_DO: Readonly<Record<number, string>> = {
  401: "`foothold inbox list --refused` says why, as a rule another secret than the server's configuration has",
  404: "it has no source of this name: does it run with the same configuration?",
  413: "the body is larger than `bodyBytesMax` of the source",
};

function readBody(call: Call): Buffer {
  const text = call.text("body");
  if (text === null) throw usage(call.command, "--body is missing.");
  if (!text.startsWith("@")) return Buffer.from(text, "utf8");
  try {
    return readFileSync(text.slice(1));
  } catch (error) {
    throw usage(
      call.command,
      `--body ${text} cannot be read: ${error instanceof Error ? error.message : ""}.`,
    );
  }
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body), signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new FootholdError("INVALID_REQUEST", `Nothing answers at ${url}. Start it with: foothold dev`, {
      cause: error,
    });
  }
}
