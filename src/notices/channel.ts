/** Sends one message by one channel, and sorts what went wrong like any failure of a destination. */

import { createHmac } from "node:crypto";
import type { Failure } from "../core/failure.ts";
import type { ChannelSetup, Told } from "../define/notice-book.ts";
import { ResponseError } from "../triage/response.ts";
import { sortFailure, unsentFailure } from "../triage/sort.ts";
import type { Reach } from "./addresses.ts";
import { sendMail } from "./mail.ts";
import { pagerDutyBody, slackBody, teamsBody, webhookBody, type Outgoing, type Wording } from "./message.ts";
import { OutboundRefused, postJson, type Resolve } from "./outbound.ts";

/** How long sending one message may take, in ms. */
const SEND_MS_MAX = 20_000;
/** Fewest bytes of a secret that requests are signed with. */
const SECRET_BYTES_MIN = 16;

/** What sending needs beside the message. */
export interface SendParts extends Wording {
  /** True where this machine itself may be reached too: while developing. */
  readonly reachesLoopback: boolean;
  /** The system's when left out. */
  readonly resolve?: Resolve;
}

/** Sends; null = it was taken. Never throws for what a channel or its settings may do. */
export async function sendBy(
  channel: ChannelSetup,
  outgoing: Outgoing,
  parts: SendParts,
  stopped: AbortSignal,
): Promise<Failure | null> {
  const deadline = AbortSignal.timeout(SEND_MS_MAX);
  try {
    await send(channel, outgoing, parts, AbortSignal.any([deadline, stopped]));
    return null;
  } catch (error) {
    if (error instanceof Unset || error instanceof OutboundRefused) {
      const rule = error instanceof Unset ? "channel.unset" : "channel.refused";
      return unsentFailure("bug", rule, `Nothing was sent by ${channel.name}: ${error.message}.`);
    }
    return sortFailure(error, {
      destination: channel.name,
      stopped: stopped.aborted ? "shutdown" : deadline.aborted ? "deadline" : null,
      now: outgoing.at,
      evidence: null,
      sorters: [],
    });
  }
}

/** A setting that is not there. */
class Unset extends Error {}

async function send(
  { name, way, allowPrivate }: ChannelSetup,
  outgoing: Outgoing,
  parts: SendParts,
  signal: AbortSignal,
): Promise<void> {
  const reach: Reach = allowPrivate ? "private" : parts.reachesLoopback ? "loopback" : "public";
  const post = (url: Told, body: object, sign?: (text: string) => Readonly<Record<string, string>>) =>
    postTo(settingOf(url, "url"), JSON.stringify(body), {
      name,
      reach,
      signal,
      sign,
      resolve: parts.resolve,
    });
  switch (way.kind) {
    case "mail": {
      const { from } = way;
      const smtp = settingOf(way.smtp, "smtp");
      if (outgoing.to === null) throw new Unset("no address is given");
      return sendMail({ from, smtp, to: outgoing.to }, outgoing, parts, signal);
    }
    case "slack":
      return post(way.url, slackBody(outgoing, parts));
    case "teams":
      return post(way.url, teamsBody(outgoing, parts));
    case "pagerDuty": {
      const routingKey = settingOf(way.routingKey, "routingKey");
      return post(way.url, pagerDutyBody(outgoing, { ...parts, routingKey }));
    }
    case "webhook": {
      const key = keyOf(settingOf(way.secret, "secret"));
      return post(way.url, webhookBody(outgoing, parts), (text) => signature(key, outgoing, text));
    }
  }
}

/** Read when it is needed: what it gives is told to nobody. Throws {@link Unset}. */
function settingOf(told: Told, name: string): string {
  let value: unknown;
  try {
    value = told();
  } catch {
    throw new Unset(`its \`${name}\` threw an error`);
  }
  if (typeof value === "string" && value !== "") return value;
  throw new Unset(`its \`${name}\` gives nothing`);
}

interface Posting {
  readonly name: string;
  readonly reach: Reach;
  readonly signal: AbortSignal;
  readonly sign: ((text: string) => Readonly<Record<string, string>>) | undefined;
  readonly resolve: Resolve | undefined;
}

async function postTo(
  url: string,
  body: string,
  { name, reach, signal, sign, resolve }: Posting,
): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "user-agent": "foothold",
    ...sign?.(body),
  };
  const asked = { url, headers, body, reach, signal };
  const answer = await postJson(resolve === undefined ? asked : { ...asked, resolve });
  if (answer.status >= 200 && answer.status < 300) return;
  // The address of a webhook is a secret itself: the name of its channel stands for it.
  throw new ResponseError(answer.status, name, answer.headers, answer.body);
}

function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (key.length >= SECRET_BYTES_MIN && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return key;
  throw new Unset(`its \`secret\` is not whsec_ and at least ${SECRET_BYTES_MIN} bytes in base64`);
}

/** As Standard Webhooks says. The time is that of sending; the id is the message's own. */
function signature(key: Buffer, { messageId, at }: Outgoing, text: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const digest = createHmac("sha256", key).update(`${messageId}.${timestamp}.${text}`).digest("base64");
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${digest}`,
  };
}
