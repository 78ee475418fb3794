/** `defineSource`: where events come from, how they prove it, and who takes which. */

import { FootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { MASKED_PATHS_MAX, readMaskedPath, type MaskedPath } from "../core/masked-values.ts";
import type { CaseType } from "../define/case-type.ts";
import { parseDuration, type Duration } from "../define/duration.ts";
import { nameFault } from "../define/names.ts";
import type { Preset, Where } from "./preset.ts";
import { PRESETS, type PresetName } from "./presets.ts";
import type { Secret } from "./verify.ts";

/** How long a key is remembered where a source does not say, in ms: longer than any provider sends again. */
const REMEMBER_MS = 400 * 86_400_000;
const KEEP_BODIES_MS = 30 * 86_400_000;
const TOLERANCE_MS = 300_000;
const TOLERANCE_MS_MAX = 3_600_000;
/** By when work is done or in review, in ms. */
const WORK_WITHIN_MS = 7 * 86_400_000;
const CASE_WITHIN_MS = 86_400_000;
const BODY_BYTES_MAX = 25 * 1024 * 1024;
/** Consumers of one source. */
const CONSUMERS_MAX = 200;

/** A secret as written: the text alone, or with its name and its time. */
export type SecretOption =
  | string
  | {
      /** For people; which one matched is stored. Default: its place, such as `#1`. */
      readonly id?: string;
      readonly secret: string;
      /** Epoch ms. Default: no bound. */
      readonly notBeforeAt?: number;
      readonly notAfterAt?: number;
    };

/** An event as consumers get it. */
export interface InboxEvent {
  readonly eventId: string;
  readonly tenant: string;
  readonly source: string;
  readonly eventType: string;
  readonly subject: string | null;
  /** What the provider sent of this event, read. Whole numbers that a double cannot hold are texts. */
  readonly data: Json;
  readonly occurredAt: number | null;
  readonly receivedAt: number;
}

/** Starts a case for each event. */
export interface StartConsumer {
  readonly kind: "start";
  readonly caseType: string;
  readonly on: readonly string[];
  readonly input: (event: InboxEvent) => unknown;
  /** A second event with the same key finds the first case. Null = the event itself is the key. */
  readonly businessKey: ((event: InboxEvent) => string) | null;
}

/** Tells the case that an event belongs to: it becomes a fact of the case, and wakes a step that waits for it. */
export interface TellConsumer {
  readonly kind: "tell";
  readonly caseType: string;
  readonly on: readonly string[];
  /** The event type of the case type. */
  readonly as: string;
  readonly payload: (event: InboxEvent) => unknown;
  /** Asks for the state of things anew; events of one subject are then worked on one after another. */
  readonly fetch: ((event: InboxEvent, signal: AbortSignal) => Promise<unknown>) | null;
  /** The key of the case; null = the case type's `correlate` says it. */
  readonly key: ((event: InboxEvent) => string | null | undefined) | null;
}

/** What takes events. */
export type Consumer = StartConsumer | TellConsumer;

/** A provider's own list of what it sent. */
export interface ListOptions {
  /** Gives a page of what happened from `sinceAt` to `untilAt` (epoch ms), oldest first or not; `next` null = the last. */
  readonly page: (request: {
    readonly sinceAt: number;
    readonly untilAt: number;
    readonly cursor: Json;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly items: readonly ListedItem[]; readonly next: Json }>;
  /** How often it is read. Default: only by hand. */
  readonly every?: Duration;
  /** How far each reading goes back behind the last one. Default 1h. */
  readonly overlap?: Duration;
  /** How far the first reading goes back. Default 3d. */
  readonly firstBack?: Duration;
}

/** One delivery as the provider's list has it. */
export interface ListedItem {
  /** What would have been posted: bytes, a text, or the value that it was. */
  readonly body: Uint8Array | string | Json;
  /** Headers that the preset reads, where it does. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a source is made of. */
export interface SourceOptions {
  /** A provider that Foothold knows by name, or one of your own. */
  readonly preset: PresetName | Preset;
  /** Who takes what cannot be done. */
  readonly owner: string;
  /** All secrets in use; several while one is replaced. Asked for with every request. */
  readonly secrets: () => SecretOption | readonly SecretOption[];
  readonly consumers: { readonly [name: string]: Consumer };
  /** `default` when left out. */
  readonly tenant?: string;
  /** The public address that the provider posts to. Needed where the provider signs it; never taken from a request. */
  readonly url?: string;
  /** Default: the preset's; 1 MiB for most. At most 25 MiB. */
  readonly bodyBytesMax?: number;
  /** How far the time of an attempt may be off. Default 5m. */
  readonly tolerance?: Duration;
  /** How long a key is remembered. Default 400d; not shorter than the provider sends again. */
  readonly remember?: Duration;
  /** How long bodies are kept. Default 30d. */
  readonly keepBodies?: Duration;
  /** `gzip` takes compressed bodies, whose signature is over what was sent. Default: refused. */
  readonly compression?: "refused" | "gzip";
  /** True where an equal body under another id is another event. Default: what the preset says. */
  readonly bodiesMayRepeat?: boolean;
  /**
   * Headers that are stored beside the preset's; one may end in `*`, and then brings none whose name speaks of a token, key,
   * password or other secret.
   */
  readonly keptHeaders?: readonly string[];
  /** What else names a fact, in place of the preset's. */
  readonly businessKey?: readonly Where[];
  /** By when work is done or in review. Default 7d. */
  readonly workWithin?: Duration;
  /** How long an event is kept for a case that is not there yet. Default 1d. */
  readonly caseWithin?: Duration;
  readonly list?: ListOptions;
  /**
   * Paths of each event's data that people see as a mark until one of them reveals the body. What a case gets of an event is
   * masked by what its case type says of it. Default: none.
   */
  readonly masked?: readonly string[];
}

/** A source, checked. */
export interface Source {
  readonly kind: "source";
  readonly name: string;
  readonly tenant: string;
  readonly owner: string;
  readonly preset: Preset;
  readonly secrets: () => readonly Secret[];
  readonly url: string | null;
  readonly bodyBytesMax: number;
  readonly toleranceMs: number;
  readonly rememberMs: number;
  readonly keepBodiesMs: number;
  readonly compression: "refused" | "gzip";
  readonly workWithinMs: number;
  readonly caseWithinMs: number;
  readonly consumers: { readonly [name: string]: Consumer };
  readonly list: {
    readonly page: ListOptions["page"];
    readonly everyMs: number | null;
    readonly overlapMs: number;
    readonly firstBackMs: number;
  } | null;
  readonly masked: readonly MaskedPath[];
}

/** A consumer that starts a case for each event of these types; `*` = all. */
export function startCase<Input>(
  caseType: CaseType<Input>,
  options: {
    readonly on: string | readonly string[];
    readonly input: (event: InboxEvent) => Input;
    readonly businessKey?: (event: InboxEvent) => string;
  },
): Consumer {
  const { on, input, businessKey } = options;
  return {
    kind: "start",
    caseType: caseType.outline.name,
    on: typeof on === "string" ? [on] : on,
    input,
    businessKey: businessKey ?? null,
  };
}

/** A consumer that tells the case that an event of these types belongs to; `*` = all. */
export function tellCase(
  caseType: CaseType,
  options: {
    readonly on: string | readonly string[];
    /** One of the case type's events. */
    readonly as: string;
    /** Default: the event's data. */
    readonly payload?: (event: InboxEvent) => unknown;
    readonly fetch?: (event: InboxEvent, signal: AbortSignal) => Promise<unknown>;
    readonly key?: (event: InboxEvent) => string | null | undefined;
  },
): Consumer {
  const { on, as, payload, fetch, key } = options;
  return {
    kind: "tell",
    caseType: caseType.outline.name,
    on: typeof on === "string" ? [on] : on,
    as,
    payload: payload ?? (({ data }) => data),
    fetch: fetch ?? null,
    key: key ?? null,
  };
}

/**
 * Says where events come from. Throws `CONFIG_INVALID` for a name that cannot stand in an address, a window that is
 * shorter than the provider sends again, and other options that cannot be meant.
 */
export function defineSource(name: string, options: SourceOptions): Source {
  const fail = (why: string): never => {
    throw new FootholdError("CONFIG_INVALID", `The source ${JSON.stringify(name)} cannot be used: ${why}.`);
  };
  const wrongName = nameFault(name);
  if (wrongName !== null) fail(wrongName);
  const preset = presetOf(options, fail);
  const rememberMs = options.remember === undefined ? REMEMBER_MS : parseDuration(options.remember);
  if (rememberMs < preset.resendsWithinMs) {
    fail(
      `its keys are forgotten after ${rememberMs} ms, while ${preset.name} sends again for ${preset.resendsWithinMs} ms`,
    );
  }
  const bodyBytesMax = options.bodyBytesMax ?? preset.bodyBytesMax;
  if (!(bodyBytesMax >= 1 && bodyBytesMax <= BODY_BYTES_MAX))
    fail(`bodyBytesMax is not from 1 to ${BODY_BYTES_MAX}`);
  const toleranceMs = options.tolerance === undefined ? TOLERANCE_MS : parseDuration(options.tolerance);
  if (toleranceMs < 1_000 || toleranceMs > TOLERANCE_MS_MAX) fail("its tolerance is not from 1s to 1h");
  if (options.url !== undefined && !URL.canParse(options.url)) fail("its url is no address");
  if (needsUrl(preset) && options.url === undefined)
    fail(`${preset.name} signs its address: give the public url`);
  if (typeof options.secrets !== "function") fail("its secrets are not given by a function");
  checkConsumers(options.consumers, fail);
  if (typeof options.owner !== "string" || options.owner.trim() === "") fail("it has no owner");
  return {
    kind: "source",
    name,
    tenant: options.tenant ?? "default",
    owner: options.owner,
    preset,
    secrets: () => readSecrets(options.secrets()),
    url: options.url ?? null,
    bodyBytesMax,
    toleranceMs,
    rememberMs,
    keepBodiesMs: options.keepBodies === undefined ? KEEP_BODIES_MS : parseDuration(options.keepBodies),
    compression: options.compression ?? "refused",
    workWithinMs: options.workWithin === undefined ? WORK_WITHIN_MS : parseDuration(options.workWithin),
    caseWithinMs: options.caseWithin === undefined ? CASE_WITHIN_MS : parseDuration(options.caseWithin),
    consumers: options.consumers,
    list: readList(options.list),
    masked: readMaskedPaths(options.masked ?? [], fail),
  };
}

/** True for what {@link defineSource} gave, also from another copy of the package. */
export function isSource(value: unknown): value is Source {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "source" &&
    "preset" in value
  );
}

function presetOf(options: SourceOptions, fail: (why: string) => never): Preset {
  const known: { readonly [name: string]: Preset } = PRESETS;
  const { preset } = options;
  const found =
    typeof preset === "string" ? (Object.hasOwn(known, preset) ? known[preset] : undefined) : preset;
  if (found === undefined) return fail(`there is no such preset; there are ${Object.keys(known).join(", ")}`);
  const keptHeaders = (options.keptHeaders ?? []).map((one) => one.toLowerCase());
  const proof = found.schemes.find((scheme) => "header" in scheme && keptHeaders.includes(scheme.header));
  if (proof !== undefined) fail("it keeps the header that proves its sender, and so its secret");
  return {
    ...found,
    isBodyTheKey: options.bodiesMayRepeat === true ? false : found.isBodyTheKey,
    businessKey: options.businessKey ?? found.businessKey,
    keptHeaders: [...found.keptHeaders, ...keptHeaders],
  };
}

function readMaskedPaths(written: readonly string[], fail: (why: string) => never): readonly MaskedPath[] {
  if (written.length > MASKED_PATHS_MAX) fail(`it masks more than ${MASKED_PATHS_MAX} paths`);
  return written.map((text) => {
    const path = readMaskedPath(text);
    return path ?? fail(`${JSON.stringify(text.slice(0, 60))} is no path to mask: give dotted names`);
  });
}

function needsUrl({ schemes }: Preset): boolean {
  return schemes.some((scheme) =>
    scheme.kind === "hmac" || scheme.kind === "hash"
      ? scheme.signed.includes("url")
      : scheme.kind === "twilio",
  );
}

function checkConsumers(consumers: SourceOptions["consumers"], fail: (why: string) => never): void {
  const names = Object.keys(consumers);
  if (names.length > CONSUMERS_MAX) fail(`it has more than ${CONSUMERS_MAX} consumers`);
  for (const consumer of names) {
    if (!/^[\w][\w .:/-]{0,99}$/.test(consumer)) {
      fail(
        `the consumer ${JSON.stringify(consumer.slice(0, 60))} needs a name of letters, digits, spaces and .:/-`,
      );
    }
  }
}

function readSecrets(given: SecretOption | readonly SecretOption[]): readonly Secret[] {
  const list: readonly SecretOption[] = isList(given) ? given : [given];
  return list.flatMap((one, index) => {
    const written = typeof one === "string" ? { secret: one } : one;
    // Of an environment variable that is not set there is nothing, whatever its type says.
    if (typeof written?.secret !== "string") return [];
    const { id = `#${index + 1}`, secret, notBeforeAt = null, notAfterAt = null } = written;
    return [{ id, secret, notBeforeAt, notAfterAt }];
  });
}

function isList(given: SecretOption | readonly SecretOption[]): given is readonly SecretOption[] {
  return Array.isArray(given);
}

function readList(list: ListOptions | undefined): Source["list"] {
  if (list === undefined) return null;
  return {
    page: list.page,
    everyMs: list.every === undefined ? null : parseDuration(list.every),
    overlapMs: parseDuration(list.overlap ?? "1h"),
    firstBackMs: parseDuration(list.firstBack ?? "3d"),
  };
}
