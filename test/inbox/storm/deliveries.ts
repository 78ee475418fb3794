/** The deliveries of a storm: real payloads of GitHub and objects of Stripe, repeated, forged and shuffled. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PRESETS, signRequest } from "foothold/inbox";
import { z } from "zod";
import { SECRETS } from "./storm-types.ts";

/** One delivery. */
export interface StormDelivery {
  readonly no: number;
  readonly source: "github" | "stripe";
  /** The provider's own id of the event. */
  readonly id: string;
  /** Not the provider's: it must be refused. */
  readonly isForged: boolean;
  /** Sent by hand at the very moment of the first attempt. */
  readonly isBesideAnother: boolean;
  /** Made anew for each attempt: Stripe's signature has the time in it. */
  request(): { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> };
}

const Examples = z.array(
  z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }),
);
const JsonObject = z.record(z.string(), z.unknown());

/** As many draws as are asked for, the same for the same seed. */
export function drawsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** `count` events, 30 % of them sent twice or more, 5 % forged beside, shuffled. */
export function stormDeliveries(count: number, seed: number): readonly StormDelivery[] {
  const random = drawsOf(seed);
  const github = githubEvents();
  const stripe = stripeObjects();
  const wanted = Array.from({ length: count }, (_, no) => {
    const isBesideAnother = random() < 0.05;
    return no % 2 === 0
      ? githubDelivery(github, no, isBesideAnother)
      : stripeDelivery(stripe, no, isBesideAnother);
  });
  const repeats = wanted.filter(() => random() < 0.3);
  const forged = wanted.filter(() => random() < 0.05).map((one) => forge(one, random() < 0.5));
  return [...wanted, ...repeats, ...forged]
    .map((delivery) => ({ delivery, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ delivery }) => delivery);
}

interface GithubEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** They are a package of the tests with real clients, which have a lock of their own. */
function githubEvents(): readonly GithubEvent[] {
  const require = createRequire(new URL("../../clients/package.json", import.meta.url));
  const examples = Examples.parse(require("@octokit/webhooks-examples"));
  return examples.flatMap(({ name, examples: payloads }) => payloads.map((payload) => ({ name, payload })));
}

function stripeObjects(): readonly Readonly<Record<string, unknown>>[] {
  const text = readFileSync(new URL("stripe-objects.jsonl", import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JsonObject.parse(JSON.parse(line)));
}

function pick<T>(list: readonly T[], no: number): T {
  const one = list[no % list.length];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

function githubDelivery(events: readonly GithubEvent[], no: number, isBesideAnother: boolean): StormDelivery {
  const { name, payload } = pick(events, Math.floor(no / 2));
  // Stamped, so that no two have the same bytes: GitHub signs no id.
  const body = Buffer.from(JSON.stringify({ ...payload, storm: no }));
  const id = `00000000-0000-4000-8000-${String(no).padStart(12, "0")}`;
  const signing = { method: "POST", url: "", body, secret: SECRETS.github, at: 0, id, eventType: name };
  const headers = signRequest(PRESETS.github, signing);
  return { no, source: "github", id, isForged: false, isBesideAnother, request: () => ({ body, headers }) };
}

function stripeDelivery(
  objects: readonly Readonly<Record<string, unknown>>[],
  no: number,
  isBesideAnother: boolean,
): StormDelivery {
  const [event, ...kinds] = objects;
  const object = pick(kinds, Math.floor(no / 2));
  const id = `evt_storm_${no}`;
  const type = `${String(object["object"])}.updated`;
  const body = Buffer.from(JSON.stringify({ ...event, id, type, data: { object } }, null, 2));
  const request = (): ReturnType<StormDelivery["request"]> => {
    const signing = {
      method: "POST",
      url: "",
      body,
      secret: SECRETS.stripe,
      at: Date.now(),
      id,
      eventType: type,
    };
    return { body, headers: signRequest(PRESETS.stripe, signing) };
  };
  return { no, source: "stripe", id, isForged: false, isBesideAnother, request };
}

/** Other bytes under the signature, or a new id under it with one byte of the signature changed. */
function forge(delivery: StormDelivery, hasOtherBytes: boolean): StormDelivery {
  const request = (): ReturnType<StormDelivery["request"]> => {
    const { body, headers } = delivery.request();
    if (hasOtherBytes) {
      const changed = Buffer.from(body);
      const at = Math.floor(changed.length / 2);
      changed[at] = (changed[at] ?? 0) ^ 1;
      return { body: changed, headers };
    }
    const name = delivery.source === "github" ? "x-hub-signature-256" : "stripe-signature";
    const signature = headers[name] ?? "";
    const last = signature.endsWith("0") ? "1" : "0";
    return { body, headers: { ...headers, [name]: signature.slice(0, -1) + last } };
  };
  return { ...delivery, isForged: true, isBesideAnother: false, request };
}
