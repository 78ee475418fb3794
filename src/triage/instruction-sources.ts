/**
 * Where destinations say when to try again, as data. A source of a lower rank wins. Each was checked against the
 * provider's own pages or client on its date.
 */

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/json.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 366 * 24 * HOUR_MS;

/**
 * The destination's own word is kept up to a year, in ms, where nothing else is known: it is past what is waited for
 * without a person either way, and people are shown its date.
 */
export const KEPT_MS_MAX: number = YEAR_MS;

/** A header that says when to come back. */
export interface HeaderSource {
  readonly header: string;
  /** Lower wins: exact ms, Retry-After, the draft of the IETF, what single providers use. */
  readonly rank: 1 | 2 | 3 | 4;
  /** Of a plain number. */
  readonly unitMs: 1 | 1_000;
  /** Longer waits are cut to it. */
  readonly capMs: number;
  /**
   * The header of what is left: the source counts where that is 0, or where it is missing beside a request to slow
   * down. Null = the source counts by itself.
   */
  readonly leftIn: string | null;
  /** Added to it, where whole seconds are known to have been cut down. */
  readonly graceMs: number;
  readonly checkedOn: string;
}

function source(
  header: string,
  rank: HeaderSource["rank"],
  unitMs: HeaderSource["unitMs"],
  {
    capMs = KEPT_MS_MAX,
    leftIn = null,
    graceMs = 0,
  }: Partial<Pick<HeaderSource, "capMs" | "leftIn" | "graceMs">> = {},
): HeaderSource {
  return { header, rank, unitMs, capMs, leftIn, graceMs, checkedOn: "2026-11-29" };
}

/** Headers that say when to come back. */
export const HEADER_SOURCES: readonly HeaderSource[] = [
  source("retry-after-ms", 1, 1),
  source("x-ms-retry-after-ms", 1, 1),
  source("x-amz-retry-after", 1, 1, { capMs: 5 * MINUTE_MS }),
  source("retry-after", 2, 1_000),
  source("ratelimit-reset", 3, 1_000, { leftIn: "ratelimit-remaining", capMs: 24 * HOUR_MS }),
  source("x-ratelimit-reset-after", 4, 1_000, { leftIn: "x-ratelimit-remaining", capMs: HOUR_MS }),
  source("x-ratelimit-reset", 4, 1_000, {
    leftIn: "x-ratelimit-remaining",
    capMs: 24 * HOUR_MS,
    graceMs: SECOND_MS,
  }),
  source("x-rate-limit-reset", 4, 1_000, { leftIn: "x-rate-limit-remaining", capMs: 24 * HOUR_MS }),
  ...["requests", "tokens"].map((what) =>
    source(`x-ratelimit-reset-${what}`, 4, 1_000, {
      leftIn: `x-ratelimit-remaining-${what}`,
      capMs: 24 * HOUR_MS,
    }),
  ),
  ...["requests", "tokens", "input-tokens", "output-tokens"].map((what) =>
    source(`anthropic-ratelimit-${what}-reset`, 4, 1_000, {
      leftIn: `anthropic-ratelimit-${what}-remaining`,
      capMs: 24 * HOUR_MS,
    }),
  ),
  source("x-hubspot-ratelimit-interval-milliseconds", 4, 1, {
    leftIn: "x-hubspot-ratelimit-remaining",
    capMs: MINUTE_MS,
  }),
];

/** Headers in which the text `false` means: not this request again. */
export const STOP_HEADERS: readonly string[] = ["stripe-should-retry", "x-should-retry"];

/** A place in a body that says when to come back, in ms. */
export interface BodySource {
  readonly name: string;
  readonly read: (body: JsonObject) => number | null;
  readonly capMs: number;
  readonly checkedOn: string;
}

/** Places in bodies, read only where no header says anything. The first that says something wins. */
export const BODY_SOURCES: readonly BodySource[] = [
  { name: "retry_after", read: discord, capMs: HOUR_MS, checkedOn: "2026-11-29" },
  { name: "google.rpc.RetryInfo", read: retryInfo, capMs: 24 * HOUR_MS, checkedOn: "2026-11-29" },
  { name: "baseBackoffMS", read: mongoBackoff, capMs: 10 * SECOND_MS, checkedOn: "2026-11-29" },
  { name: "shopify cost", read: shopifyCost, capMs: MINUTE_MS, checkedOn: "2026-11-29" },
  { name: "openai text", read: openAiText, capMs: MINUTE_MS, checkedOn: "2026-11-29" },
];

function discord(body: JsonObject): number | null {
  const seconds = body["retry_after"];
  return typeof seconds === "number" ? seconds * SECOND_MS : null;
}

/** A Duration of protobuf: `32s` in JSON, seconds and nanos where it was decoded. */
function retryInfo(body: JsonObject): number | null {
  const error = objectIn(body, "error") ?? body;
  const details = error["details"] ?? error["statusDetails"];
  if (details === undefined || !isJsonArray(details)) return null;
  const delay = details.filter(isJsonObject).find((one) => one["retryDelay"] !== undefined)?.["retryDelay"];
  if (typeof delay === "string")
    return /^\d+(\.\d+)?s$/.test(delay) ? Number.parseFloat(delay) * SECOND_MS : null;
  if (delay === undefined || !isJsonObject(delay)) return null;
  return Number(delay["seconds"] ?? 0) * SECOND_MS + Number(delay["nanos"] ?? 0) / 1e6;
}

function mongoBackoff(body: JsonObject): number | null {
  const named = objectIn(body, "errorResponse")?.["baseBackoffMS"];
  return typeof named === "number" ? named : null;
}

/** Points that are missing, by the rate at which they come back. */
function shopifyCost(body: JsonObject): number | null {
  const cost = objectIn(objectIn(body, "extensions"), "cost");
  const status = objectIn(cost, "throttleStatus");
  const [wanted, left, perSecond] = [
    cost?.["requestedQueryCost"],
    status?.["currentlyAvailable"],
    status?.["restoreRate"],
  ];
  if (typeof wanted !== "number" || typeof left !== "number" || typeof perSecond !== "number") return null;
  return ((wanted - left) / perSecond) * SECOND_MS;
}

/** A text may find a wait; it never decides anything else. */
function openAiText(body: JsonObject): number | null {
  const said = objectIn(body, "error")?.["message"];
  const found = typeof said === "string" ? /\btry again in (\d+(?:\.\d+)?)(ms|s)\b/i.exec(said) : null;
  return found === null ? null : Number(found[1]) * (found[2]?.toLowerCase() === "s" ? SECOND_MS : 1);
}

function objectIn(holder: JsonObject | undefined | null, name: string): JsonObject | undefined {
  const found: Json | undefined = holder?.[name];
  return found !== undefined && isJsonObject(found) ? found : undefined;
}
