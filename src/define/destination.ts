/** Outside systems that steps send to: what authors write, and how it is read. */

import type { FieldFault } from "../core/errors.ts";
import { canonicalJson, readJson } from "../core/json.ts";
import type {
  DestinationOutline,
  InFlightPolicy,
  Owners,
  RepeatSafety,
  RetryPolicy,
} from "../core/outline.ts";
import type { Sorter } from "../core/seen-failure.ts";
import { describeThrown } from "./describe-value.ts";
import type { CallContext, DestinationCalls } from "./destination-calls.ts";
import type { Duration } from "./duration.ts";
import { readMasked } from "./masking.ts";
import { nameFault } from "./names.ts";
import { isAsyncFunction, isFunction, isLabel, OptionReader } from "./option-reader.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

/** What makes a repeat safe. */
export type Idempotency =
  /** It deduplicates by our idempotency key, for `window` after the first request with that key. */
  | { readonly by: "key"; readonly window: Duration }
  /**
   * It holds only one thing of a natural name (an invoice number), and answers "exists" to a second one: such a request
   * is sent again freely, and `check` tells whether what exists is ours.
   */
  | { readonly by: "unique" }
  /** It writes only while a version (an ETag) is the one that was read before: every step sent there has a `version`. */
  | { readonly by: "if-match" }
  /**
   * It takes each fencing token once, and none below the highest that it was shown: `check` raises its fence to the
   * token it is given and reads back what ran.
   */
  | { readonly by: "fence" }
  /** It is the engine's own database: `run` writes through `transaction`, in the commit that confirms the step. */
  | { readonly by: "transaction" }
  /** It neither deduplicates nor compares, but can be asked: every step sent there needs a `check`. */
  | { readonly by: "lookup" }
  /** It can do nothing of that. A step with a `check` is treated as with `lookup`; else a person decides. */
  | { readonly by: "none" };

/** Bounds of automatic repetition, per step and round; a person's resume opens a new round. */
export interface RetryOptions {
  /** Attempts, the first included: 1 to 100. Default 5. */
  readonly maxAttempts?: number;
  /**
   * Real requests, those counted in that the client repeats by itself within an attempt: `maxAttempts` to 1,000.
   * Default 8, or `maxAttempts` where that is more.
   */
  readonly maxRequests?: number;
  /** For how long after the first failure. Default 4 h. */
  readonly giveUpAfter?: Duration;
  /** Delay before the second attempt; it grows fourfold from one to the next. Default 5 s. */
  readonly firstDelay?: Duration;
  /** Cap of that delay. Default 15 min, or `firstDelay` where that is longer. */
  readonly maxDelay?: Duration;
  /** How often it may say "slow down", which spends no attempt: 1 to 1,000. Default 20. */
  readonly maxThrottles?: number;
}

/** A credential whose token runs out. */
export interface CredentialOptions {
  /** As above. Default: the name of the destination. */
  readonly id?: string | (() => string);
  /**
   * Makes the credential usable again, so that the next `run` finds a good token: asks the token endpoint and keeps what
   * it gives where every process finds it. Called once, by one process at a time for all that use the credential, after a
   * step was refused because of its token; the step is then sent again. What it throws is sorted as a step's failure is:
   * a grant that is not good any more goes to the owner of the access, an outage of the endpoint is tried again. It has
   * 15 s, and is not called again within a minute.
   */
  readonly refresh: (context: CallContext) => Promise<unknown>;
}

/** What is known of a destination. */
export interface DestinationOptions {
  readonly idempotency: Idempotency;
  /**
   * Names the account that is used, never its secret: pauses and releases are per destination and credential. A
   * function is called once, when the first case type that uses the destination is loaded. Default: the name.
   */
  readonly credential?: string | (() => string) | CredentialOptions;
  /**
   * One request that changes nothing (who am I, a list of one): `foothold doctor --live` makes it, to see whether the
   * destination is reached, the credential is taken, and what the client sends by itself. What it throws is told.
   */
  readonly ping?: (context: CallContext) => Promise<unknown>;
  /**
   * "http": what its steps send goes over HTTP alone (`fetch`, undici, `node:http`, HTTP/2, and whatever is built on them).
   * An attempt that began no request then sent nothing, whatever it threw: a mistake of our own before the first request
   * goes to people at once, and all else is tried again without a question. Said wrongly, an effect that came another way
   * is sent again. Default: not said, and what was not seen proves nothing.
   */
  readonly transport?: "http";
  /**
   * How often the client that `run` uses sends one request by itself, the first included: 3 for `maxRetries: 2`, 1 where
   * its repeats are turned off; 1 to 100. `foothold doctor` says then, before anything is sent, where that is unsafe or
   * more than `retry.maxRequests` allows. What is really sent is counted whatever it says. Default: nothing is said.
   */
  readonly clientTries?: number;
  /**
   * Paths that people see as a mark until one of them reveals it: of every request that is sent there, of the result of the
   * step, and of the evidence. Default: none.
   */
  readonly masked?: readonly string[];
  /** Who acts, where it is not the owner of the case type. */
  readonly owners?: {
    /** Who can restore access. */
    readonly access?: string;
    /** Who can correct the input. */
    readonly input?: string;
    /** Who looks after outages and all else. */
    readonly outage?: string;
  };
  readonly retry?: RetryOptions;
  /**
   * How many attempts all workers together may have under way there, per credential. The limit adapts between 1 and
   * `max`: it falls when the destination fails, and rises while it answers. Without effect where steps write in the
   * engine's own database.
   */
  readonly inFlight?: {
    /** While nothing is known of it: 1 to `max`. Default 10, or `max` where that is less. */
    readonly start?: number;
    /** 1 to 1,000. Default 64. */
    readonly max?: number;
  };
  /** How long after an effect a look-up may still not find it. Default 10 s. */
  readonly readLag?: Duration;
  /** How long it may sit on a received request before it executes it. Default 0. */
  readonly requestAge?: Duration;
  /**
   * Sorters for what its steps throw, asked in turn before anything is stored: the first that gives more than null has
   * the last word. Pure and synchronous; one that throws is passed over, and the failure says so. Default: none.
   */
  readonly sort?: readonly Sorter[];
}

/** An outside system. Share one value between all steps that send there. */
export interface Destination {
  readonly kind: "destination";
  readonly name: string;
  readonly options: DestinationOptions;
}

/** What reading a destination gave. The outline is only good where there are no faults. */
export interface DestinationReading {
  readonly outline: DestinationOutline;
  readonly sorters: readonly Sorter[];
  /** True where what was not seen on HTTP was not sent. */
  readonly isHttpAlone: boolean;
  readonly calls: DestinationCalls;
  readonly faults: readonly FieldFault[];
}

/** Names an outside system. Its faults are named when a case type that uses it is loaded. */
export function defineDestination(name: string, options: DestinationOptions): Destination {
  return { kind: "destination", name, options };
}

/** True for what {@link defineDestination} makes, also from another copy of the package. */
export function isDestination(value: unknown): value is Destination {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "destination";
}

/** A destination is read once, so that its credential is asked once and its outline is one value. */
const readings = new WeakMap<Destination, DestinationReading>();

/** Reads a destination; the paths of its faults begin with `destinations.` and its name. */
export function readDestination(destination: Destination): DestinationReading {
  const known = readings.get(destination);
  if (known !== undefined) return known;
  const reading = readOptions(destination);
  readings.set(destination, reading);
  return reading;
}

/** How failures of a step are sorted, by what it names as its destination. */
export function sortingOf(to: unknown): Pick<DestinationReading, "sorters" | "isHttpAlone"> {
  if (!isDestination(to)) return { sorters: [], isHttpAlone: false };
  const { sorters, isHttpAlone } = readDestination(to);
  return { sorters, isHttpAlone };
}

/** What is wrong with two rivals. */
export const RIVALS: string =
  "two destinations with different settings have this name: define it once and share it, or rename one";

/** True for two destinations of one name whose settings differ. */
export function areRivals(one: DestinationOutline, other: DestinationOutline): boolean {
  return one !== other && one.name === other.name && textOf(one) !== textOf(other);
}

function textOf(outline: DestinationOutline): string {
  const read = readJson(outline, VALUE_CHARS_MAX);
  return read.kind === "json" ? canonicalJson(read.value) : read.why;
}

const MAX_ATTEMPTS_MAX = 100;
const CLIENT_TRIES_MAX = 100;
const MAX_THROTTLES_MAX = 1_000;
const MAX_REQUESTS_DEFAULT = 8;
const MAX_REQUESTS_MAX = 1_000;
const IN_FLIGHT_START = 10;
const IN_FLIGHT_MAX = 64;
const IN_FLIGHT_MAX_MAX = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function readOptions({ name, options }: Destination): DestinationReading {
  const faults: FieldFault[] = [];
  const known = [
    "idempotency",
    "credential",
    "ping",
    "transport",
    "clientTries",
    "owners",
    "retry",
    "inFlight",
    "readLag",
    "requestAge",
    "sort",
    "masked",
  ];
  const reader = new OptionReader(options, `destinations.${name}`, known, faults);
  const wrongName = nameFault(name);
  if (wrongName !== null) reader.fault("", wrongName);
  const { id, refresh } = readCredential(reader);
  const calls = {
    refresh,
    ping: readCall(reader, "ping"),
    clientTries: readClientTries(reader),
    masked: readMasked(reader),
  };
  const outline = {
    name,
    repeatSafety: readIdempotency(reader),
    credentialId: id ?? name,
    canRefresh: refresh !== null,
    owners: readOwners(reader.nested("owners", ["access", "input", "outage"])),
    retry: readRetry(reader),
    inFlight: readInFlight(reader.nested("inFlight", ["start", "max"])),
    readLagMs: reader.duration("readLag", { defaultMs: 10_000, minMs: 0, maxMs: 24 * HOUR_MS }),
    requestAgeMs: reader.duration("requestAge", { defaultMs: 0, minMs: 0, maxMs: 24 * HOUR_MS }),
  };
  return { outline, sorters: readSorters(reader), isHttpAlone: readTransport(reader), calls, faults };
}

function readTransport(reader: OptionReader): boolean {
  const transport = reader.value("transport");
  if (transport !== undefined && transport !== "http")
    reader.fault("transport", 'must be "http", or left out');
  return transport === "http";
}

function readClientTries(reader: OptionReader): number | null {
  if (reader.value("clientTries") === undefined) return null;
  return reader.count("clientTries", { default: 1, min: 1, max: CLIENT_TRIES_MAX });
}

function readSorters(reader: OptionReader): readonly Sorter[] {
  const sorters = reader.value("sort") ?? [];
  if (Array.isArray(sorters) && sorters.every((one) => isFunction(one) && !isAsyncFunction(one))) {
    // What a sorter takes is known to the compiler of its author; what it gives is judged when it is asked.
    return sorters as readonly Sorter[];
  }
  reader.fault(
    "sort",
    "must be a list of functions that are not async: each looks at a failure and says what it is",
  );
  return [];
}

/** What makes a repeat safe, where no window goes with it. */
const OTHER_WAYS = ["unique", "if-match", "fence", "transaction", "lookup", "none"] as const;

function readIdempotency(reader: OptionReader): RepeatSafety {
  const ways = `{ by: "key", window: "24h" }, or { by: … } with one of ${OTHER_WAYS.join(", ")}`;
  if (reader.value("idempotency") === undefined) {
    reader.fault("idempotency", `is missing: say what makes a repeat safe there, ${ways}`);
    return { by: "none" };
  }
  const idempotency = reader.nested("idempotency", ["by", "window"]);
  const by = idempotency.value("by");
  if (by === "key") {
    const windowMs = idempotency.duration("window", { defaultMs: null, minMs: 1_000 });
    return { by, windowMs };
  }
  const way = OTHER_WAYS.find((one) => one === by);
  if (way === undefined) {
    reader.fault("idempotency", `must be one of ${ways}`);
    return { by: "none" };
  }
  if (idempotency.value("window") !== undefined) {
    idempotency.fault("window", `only a destination with by: "key" has a window`);
  }
  return { by: way };
}

interface Credential {
  /** Null = none was named. */
  readonly id: string | null;
  readonly refresh: DestinationCalls["refresh"];
}

function readCredential(reader: OptionReader): Credential {
  const written = reader.value("credential");
  if (typeof written !== "object" || written === null) {
    return { id: readCredentialId(reader, "credential"), refresh: null };
  }
  const options = reader.nested("credential", ["id", "refresh"]);
  const refresh = readCall(options, "refresh");
  if (refresh === null && options.value("refresh") === undefined) {
    options.fault("refresh", "is missing: give the function that has a new token, or name the account alone");
  }
  return { id: readCredentialId(options, "id"), refresh };
}

function readCredentialId(reader: OptionReader, name: string): string | null {
  const credential = reader.value(name);
  if (credential === undefined) return null;
  const given = isFunction(credential) ? callCredential(reader, name, credential) : credential;
  if (given === null && isFunction(credential)) return null;
  if (typeof given === "string" && isLabel(given)) return given;
  reader.fault(name, "must name the account: a text, or a function that returns one");
  return null;
}

/** Null when it threw; that is a fault of its own. */
function callCredential(
  reader: OptionReader,
  name: string,
  credential: (context: unknown) => unknown,
): unknown {
  try {
    return credential(undefined);
  } catch (error) {
    reader.fault(name, `threw ${describeThrown(error)}`);
    return null;
  }
}

function readCall(reader: OptionReader, name: string): ((context: CallContext) => Promise<unknown>) | null {
  const call = reader.optionalFunction(name);
  return call === null ? null : async (context) => call(context);
}

function readOwners(owners: OptionReader): Owners {
  return {
    access: owners.optionalText("access", "who can restore access"),
    input: owners.optionalText("input", "who can correct the input"),
    outage: owners.optionalText("outage", "who looks after outages"),
  };
}

function readInFlight(inFlight: OptionReader): InFlightPolicy {
  const max = inFlight.count("max", { default: IN_FLIGHT_MAX, min: 1, max: IN_FLIGHT_MAX_MAX });
  const start = inFlight.count("start", { default: Math.min(IN_FLIGHT_START, max), min: 1, max });
  return { start, max };
}

/** Reads `retry`; `maxAttempts` is how many attempts are meant where nothing is said. */
export function readRetry(
  reader: OptionReader,
  defaults: { readonly maxAttempts: number } = { maxAttempts: 5 },
): RetryPolicy {
  const known = ["maxAttempts", "giveUpAfter", "firstDelay", "maxDelay", "maxRequests", "maxThrottles"];
  const retry = reader.nested("retry", known);
  const firstDelayMs = retry.duration("firstDelay", { defaultMs: 5_000, minMs: 1 });
  const maxAttempts = retry.count("maxAttempts", {
    default: defaults.maxAttempts,
    min: 1,
    max: MAX_ATTEMPTS_MAX,
  });
  const policy = {
    maxAttempts,
    maxRequests: retry.count("maxRequests", {
      default: Math.max(MAX_REQUESTS_DEFAULT, maxAttempts),
      min: 1,
      max: MAX_REQUESTS_MAX,
    }),
    maxThrottles: retry.count("maxThrottles", { default: 20, min: 1, max: MAX_THROTTLES_MAX }),
    giveUpAfterMs: retry.duration("giveUpAfter", { defaultMs: 4 * HOUR_MS, minMs: 1 }),
    firstDelayMs,
    maxDelayMs: retry.duration("maxDelay", {
      defaultMs: Math.max(15 * MINUTE_MS, firstDelayMs),
      minMs: 1,
    }),
  };
  if (policy.maxDelayMs < firstDelayMs) {
    retry.fault("maxDelay", "must not be shorter than firstDelay");
  }
  if (policy.maxRequests < maxAttempts) {
    retry.fault("maxRequests", "must not be less than maxAttempts: each attempt makes at least one");
  }
  if (policy.maxAttempts > 1 && policy.giveUpAfterMs < firstDelayMs) {
    retry.fault(
      "giveUpAfter",
      "is shorter than firstDelay, so nothing would be tried again; if that is meant, say maxAttempts: 1",
    );
  }
  return policy;
}
