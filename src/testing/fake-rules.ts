/** What makes a repeat safe at a fake destination: what it knows again, refuses, and executes. */

import { FootholdError } from "../core/errors.ts";
import { canonicalJson, readJson } from "../core/json.ts";
import type { Idempotency } from "../define/destination.ts";
import { parseDuration } from "../define/duration.ts";
import { ResponseError } from "../triage/response.ts";

/** Characters of a request that a fake destination takes. */
const REQUEST_CHARS_MAX = 1_000_000;

/** Something that was executed, as far as the rules look at it. */
export interface KnownEffect {
  readonly key: string | null;
  /** The natural name, or the record, that it is about; null where nothing has one. */
  readonly name: string | null;
  readonly request: unknown;
  readonly at: number | null;
  /** True once it was taken back. */
  readonly isRemoved: boolean;
}

/** A request that arrives. */
export interface Arriving {
  readonly key: string | null;
  readonly name: string | null;
  readonly request: unknown;
  readonly version: string | null;
  readonly fencingToken: number | null;
  /** What the fence stands around. */
  readonly fenced: string;
  /** Virtual time, epoch ms; null outside of a test world. */
  readonly now: number | null;
}

/** The rules of one destination. */
export interface FakeRules<Effect extends KnownEffect> {
  /** The effect whose answer is given again; null = it is to be executed. Throws what the destination answers instead. */
  receive(arriving: Arriving): Effect | null;
  /** Told of what was executed, or done by others. */
  executed(arriving: Pick<Arriving, "name" | "fencingToken" | "fenced">): void;
  /** The version of a record. Throws `INVALID_REQUEST` where none is compared. */
  versionOf(name: string): string;
  /** Takes no token up to this one any more. Throws `INVALID_REQUEST` where none is compared. */
  raise(fenced: string, fencingToken: number): void;
}

/** The rules of a destination, over its ledger. */
export function rulesOf<Effect extends KnownEffect>(
  destination: string,
  idempotency: Idempotency,
  ledger: () => readonly Effect[],
): FakeRules<Effect> {
  const plain = plainRules(destination, idempotency);
  switch (idempotency.by) {
    case "key": {
      const windowMs = parseDuration(idempotency.window);
      return { ...plain, receive: (arriving) => knownByKey(destination, ledger(), arriving, windowMs) };
    }
    case "unique":
      return { ...plain, receive: (arriving) => refuseTaken(destination, ledger(), arriving) };
    case "if-match":
      return { ...plain, ...versionRules(destination) };
    case "fence":
      return { ...plain, ...fenceRules(destination) };
    case "transaction":
    case "lookup":
    case "none":
      return plain;
  }
}

function plainRules(
  destination: string,
  { by }: Idempotency,
): Pick<FakeRules<never>, "receive" | "executed" | "versionOf" | "raise"> {
  return {
    receive: () => null,
    executed: () => undefined,
    versionOf: () => unfit(`${destination} compares no versions: it is repeated by ${by}`),
    raise: () => unfit(`${destination} has no fence: it is repeated by ${by}`),
  };
}

/** Within its window a key is known again. */
function knownByKey<Effect extends KnownEffect>(
  destination: string,
  ledger: readonly Effect[],
  { key, request, now }: Arriving,
  windowMs: number,
): Effect | null {
  const known = key === null ? undefined : ledger.findLast((one) => one.key === key);
  if (known === undefined) return null;
  const isOver = known.at !== null && now !== null && now - known.at > windowMs;
  if (isOver) return null;
  if (textOf(destination, known.request) === textOf(destination, request)) return known;
  throw answered(422, destination, "this key was used for another request");
}

function refuseTaken(destination: string, ledger: readonly KnownEffect[], { name }: Arriving): null {
  if (!ledger.some((one) => one.name === name && !one.isRemoved)) return null;
  throw answered(409, destination, `${name} exists`);
}

/** Each write makes a new version, and is taken only with the present one. */
function versionRules(destination: string): Pick<FakeRules<never>, "receive" | "executed" | "versionOf"> {
  const writes = new Map<string, number>();
  const versionOf = (name: string): string => `"${writes.get(name) ?? 0}"`;
  return {
    versionOf,
    receive: ({ name, version }) => {
      if (version === null) unfit(`Give ${destination} the version that the write is conditional on`);
      if (name !== null && version === versionOf(name)) return null;
      throw answered(412, destination, `${name} has changed`);
    },
    executed: ({ name }) => {
      if (name !== null) writes.set(name, (writes.get(name) ?? 0) + 1);
    },
  };
}

/** Each token once, and none up to the highest that was shown. */
function fenceRules(destination: string): Pick<FakeRules<never>, "receive" | "executed" | "raise"> {
  const highest = new Map<string, number>();
  const raise = (fenced: string, fencingToken: number): void =>
    void highest.set(fenced, Math.max(highest.get(fenced) ?? 0, fencingToken));
  return {
    raise,
    receive: ({ fencingToken, fenced }) => {
      if (fencingToken === null) return unfit(`Give ${destination} the fencing token`);
      const seen = highest.get(fenced) ?? 0;
      if (fencingToken > seen) return null;
      const message = `${destination} has seen token ${seen}, and takes only newer ones`;
      throw Object.assign(new Error(message), { code: "NEWER_TOKEN", seen });
    },
    executed: ({ fenced, fencingToken }) => {
      if (fencingToken !== null) raise(fenced, fencingToken);
    },
  };
}

/** An answer outside 2xx, with a message for people. */
export function answered(status: number, destination: string, message: string): ResponseError {
  return new ResponseError(status, destination, {}, JSON.stringify({ message }));
}

/** The request as canonical JSON. Throws `INVALID_REQUEST` for what is none. */
function textOf(destination: string, request: unknown): string {
  const read = readJson(request, REQUEST_CHARS_MAX);
  if (read.kind === "json") return canonicalJson(read.value);
  return unfit(`The request to ${destination} is no JSON: ${read.why}`);
}

/** Throws `INVALID_REQUEST`. */
export function unfit(why: string): never {
  throw new FootholdError("INVALID_REQUEST", `${why}.`);
}
