/** `inbox replay`, `inbox ignore`, `inbox reconcile` and `inbox send`. */

import { readFileSync } from "node:fs";
import { FootholdError } from "../core/errors.ts";
import { houseHead, recorded } from "../desk/audited.ts";
import { ignoreSentence, standingsOf, type IgnoreReport } from "../inbox/ignore.ts";
import { createInbox, sourceNamed } from "../inbox/inbox.ts";
import { signBody } from "../inbox/sign-body.ts";
import { signRequest } from "../inbox/sign.ts";
import { loadConfig, configMissing, findConfigFile } from "./config-file.ts";
import { needed, usage, type Call, type Command } from "./command.ts";
import { PORT } from "./dev.ts";
import { DATABASE_OPTIONS, whoActs, withOpened } from "./open.ts";
import { say, sayJson } from "./terminal.ts";

const json = { name: "json", value: null, help: "print one JSON document" } as const;
/** How long the server may take to answer, in ms. */
const ANSWER_MS_MAX = 30_000;

/** Opens the work of an event again. */
export const inboxReplayCommand: Command = {
  name: "inbox replay",
  summary: "open the work of an event again; what it did before is not done twice",
  positionals: ["EVENT"],
  options: [
    { name: "consumer", value: "NAME", help: "only this consumer; all when left out" },
    { name: "reason", value: "TEXT", help: "why, for the history" },
    { name: "by", value: "NAME", help: "who acts; your account's name when left out" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "Its acts keep their keys: a case that was started is found, and a fact that a case knows is not told again.",
  ],
  run: async (call) => {
    const reason = call.text("reason");
    if (reason === null) throw usage(call.command, "--reason is missing.");
    const consumer = call.text("consumer");
    await withOpened(call, { definitions: "needed" }, async ({ store, ports, sources }) => {
      const inbox = createInbox({ store, sources, ports });
      const act = { by: whoActs(call), reason, ...(consumer === null ? {} : { consumer }) };
      const opened = await inbox.replay(needed(call, 0), act);
      if (call.flag("json")) sayJson({ opened });
      else if (opened.length === 0) say("Nothing was opened: a worker is at it just now.");
      else say(`Opened: ${opened.join(", ")}.`);
    });
  },
};

/** Leaves the work of an event undone. */
export const inboxIgnoreCommand: Command = {
  name: "inbox ignore",
  summary: "leave the work of an event undone; a repeat does not bring it back, a replay does",
  positionals: ["EVENT"],
  options: [
    { name: "consumer", value: "NAME", help: "only this consumer; all when left out" },
    { name: "reason", value: "TEXT", help: "why, for the history and the audit" },
    { name: "by", value: "NAME", help: "who acts; your account's name when left out" },
    json,
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "The event stays stored, and nobody is asked for its work any more. What a case was told before is not taken back.",
    "What is done cannot be ignored, nor what a living worker is at.",
  ],
  run: async (call) => {
    const reason = call.text("reason");
    if (reason === null) throw usage(call.command, "--reason is missing.");
    const consumer = call.text("consumer");
    await withOpened(call, { definitions: "optional" }, async ({ store, ports, sources }) => {
      const eventId = needed(call, 0);
      const by = whoActs(call);
      const act = { by, reason, ...(consumer === null ? {} : { consumer }) };
      const head = { ...houseHead("ignore", { by, reason }), about: eventId };
      const ignore = (): Promise<IgnoreReport> => createInbox({ store, sources, ports }).ignore(eventId, act);
      const report = await recorded({ store, ids: ports.ids }, head, ignore, standingsOf);
      const ignored = report.ignored.map((one) => one.consumer);
      if (call.flag("json")) sayJson({ ignored, left: report.left });
      else say(ignoreSentence(report));
    });
  },
};

/** Reads a provider's own list. */
export const inboxReconcileCommand: Command = {
  name: "inbox reconcile",
  summary: "read a provider's own list into the inbox, so that what never arrived is found",
  positionals: ["SOURCE"],
  options: [json, ...DATABASE_OPTIONS],
  notes: ["Where it is interrupted, the next reading goes on. What had arrived is only noted as seen again."],
  run: async (call) => {
    await withOpened(call, { definitions: "needed" }, async ({ store, ports, sources }) => {
      const report = await createInbox({ store, sources, ports }).reconcile(needed(call, 0));
      if (call.flag("json")) sayJson(report);
      else {
        say(`${report.items} events read, ${report.missed} of them had never arrived.`);
        if (!report.isComplete) say("There are more: the same command goes on where it stopped.");
      }
    });
  },
};

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
    json,
  ],
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
