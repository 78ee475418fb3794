/** What each kind of destination does with a request that arrives: the promise that a repeat is safe, and no more. */

import type { RepeatSafety } from "../src/core/outline.ts";
import { ResponseError } from "../src/triage/response.ts";
import type { Effect, SimulatedRequest } from "./destination.ts";

/** What a destination can do about a repeat. */
export type Contract = RepeatSafety["by"];

/** What a contract says about a request. */
type Reception =
  | { readonly kind: "execute" }
  /** Known already: answered as the first time. */
  | { readonly kind: "replay"; readonly effect: Effect }
  | { readonly kind: "refuse"; readonly how: Refusal; readonly error: Error };

/** How a contract refuses. */
export type Refusal = "otherContent" | "nameTaken" | "notThere" | "versionMoved" | "tokenRefused";

/** One destination's promise. */
export interface ContractRules {
  receive(request: SimulatedRequest): Reception;
  /** Told of each effect, at once. */
  executed(effect: Effect): void;
  /** What a check finds: under the key, or under the natural name. Null = nothing. */
  find(request: Pick<SimulatedRequest, "key" | "name" | "undoes">): Effect | null;
  /** What a request takes back: the effect of that id, or whatever has the name now. Null = nothing. */
  takenBack(request: SimulatedRequest): Effect | null;
  /** The version of a thing, where versions are compared. */
  readVersion(name: string): string;
  /** Somebody else changes a thing. */
  change(name: string): void;
  /** From now on no token up to this one is taken for the thing. */
  raise(name: string, fencingToken: number): void;
}

/** The rules of a contract, over the ledger of its destination. */
export function rulesOf(contract: Contract, url: string, effects: readonly Effect[]): ContractRules {
  const byKey: Ledgered = {
    find: ({ key }) => effects.find((one) => one.request.key === key) ?? null,
    takenBack: ({ undoes }) => effects.find(({ id }) => id === undoes) ?? null,
  };
  switch (contract) {
    case "key":
      return { ...COMPARES_NOTHING, ...byKey, receive: (request) => deduplicated(request, byKey, url) };
    case "unique":
      return uniqueNames(url, effects);
    case "if-match":
      return { ...COMPARES_NOTHING, ...byKey, ...comparedVersions(url) };
    case "fence":
      return { ...COMPARES_NOTHING, ...byKey, ...comparedTokens() };
    case "transaction":
    case "lookup":
    case "none":
      return { ...COMPARES_NOTHING, ...byKey, receive: () => EXECUTE };
  }
}

type Ledgered = Pick<ContractRules, "find" | "takenBack">;

const EXECUTE: Reception = { kind: "execute" };

const COMPARES_NOTHING = {
  executed: () => undefined,
  readVersion: () => "",
  change: () => undefined,
  raise: () => undefined,
} as const;

function deduplicated(request: SimulatedRequest, { find }: Ledgered, url: string): Reception {
  const known = find(request);
  if (known === null) return EXECUTE;
  if (known.request.content === request.content) return { kind: "replay", effect: known };
  return refused("otherContent", new ResponseError(422, url, {}, "{}"));
}

/** One thing of a name at a time. Taking it back frees the name. */
function uniqueNames(url: string, effects: readonly Effect[]): ContractRules {
  const find: ContractRules["find"] = ({ key, name, undoes }) =>
    effects.find((one) =>
      undoes === null ? one.request.name === name && isThere(one) : one.request.key === key,
    ) ?? null;
  const takenBack: ContractRules["takenBack"] = ({ undoes }) =>
    undoes === null ? null : (effects.find((one) => one.id === undoes && isThere(one)) ?? null);
  const receive = (request: SimulatedRequest): Reception => {
    const { name, undoes } = request;
    if (undoes === null) {
      const isTaken = effects.some((one) => one.request.name === name && isThere(one));
      return isTaken ? refused("nameTaken", new ResponseError(409, url, {}, "{}")) : EXECUTE;
    }
    return takenBack(request) === null ? refused("notThere", new ResponseError(404, url, {}, "{}")) : EXECUTE;
  };
  return { ...COMPARES_NOTHING, find, takenBack, receive };
}

function isThere({ isUndone, request }: Effect): boolean {
  return !isUndone && request.undoes === null;
}

/** Each write makes a new version, and is taken only with the present one. */
function comparedVersions(url: string): Omit<ContractRules, keyof Ledgered | "raise"> {
  const writes = new Map<string, number>();
  const readVersion = (name: string): string => `v${writes.get(name) ?? 0}`;
  const change = (name: string): void => void writes.set(name, (writes.get(name) ?? 0) + 1);
  return {
    readVersion,
    change,
    receive: ({ name, version }) =>
      version === readVersion(name)
        ? EXECUTE
        : refused("versionMoved", new ResponseError(412, url, {}, "{}")),
    executed: ({ request }) => change(request.name),
  };
}

/** Each token once, and none up to the highest that was shown. */
function comparedTokens(): Pick<ContractRules, "receive" | "executed" | "raise"> {
  const highest = new Map<string, number>();
  const raise = (name: string, fencingToken: number): void =>
    void highest.set(name, Math.max(highest.get(name) ?? 0, fencingToken));
  return {
    raise,
    receive: ({ name, fencingToken }) => {
      const seen = highest.get(name) ?? 0;
      if (fencingToken > seen) return EXECUTE;
      const error = Object.assign(new Error(`a token above ${seen} is needed`), {
        code: "NEWER_TOKEN",
        seen,
      });
      return refused("tokenRefused", error);
    },
    executed: ({ request }) => raise(request.name, request.fencingToken),
  };
}

function refused(how: Refusal, error: Error): Reception {
  return { kind: "refuse", how, error };
}
