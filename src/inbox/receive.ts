/**
 * Receives deliveries: judges each over its raw bytes, stores it with its events and work in one transaction, and only
 * then answers with a success. What is wrong on our side is always answered with 503, so that the sender comes again;
 * what is authentic is never refused for what is in it.
 */

import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { Ports } from "../core/ports.ts";
import type { DeliveredHow, InboxStore, NewDelivery, TakenEvent } from "../store/inbox-port.ts";
import { headerText, keptHeaders, type Arrival, type Headers } from "./arrival.ts";
import { challengeIn, challengeInRequest, type Challenge } from "./challenge.ts";
import { LARGE_BODY_BYTES, readContent, type Content } from "./content.ts";
import { deliveryOf } from "./deliver.ts";
import { Intake } from "./intake.ts";
import { certificateFetcher, confirmSubscription, type Ask } from "./outside.ts";
import { isCompressed, plainBody } from "./plain-body.ts";
import type { Answer } from "./preset.ts";
import { ReadingThreads } from "./reading-threads.ts";
import { BodyReadings, type BodyStream } from "./read-stream.ts";
import { Refusals } from "./refusals.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";
import { followDelivery } from "./traced.ts";
import { verifyArrival, type Verdict } from "./verify.ts";
import type { FetchCertificate } from "./signatures/sns.ts";

/** Bytes of all headers of one request. */
const HEADERS_BYTES_MAX = 16 * 1024;
/** How long the body of one request may take, in ms. */
const BODY_MS_MAX = 10_000;
/** Bytes of bodies that are held at the same time. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;
/** Seconds after which a sender may come again. */
const RETRY_AFTER_S = 5;

/** A request, whatever server or framework it came through. */
export interface InboxRequest {
  readonly method: string;
  /** The query of its address, without the question mark; empty where there is none. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: BodyStream;
}

/** What it is answered with. */
export interface InboxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver is made of. */
export interface ReceiverOptions {
  readonly store: InboxStore;
  readonly sources: readonly Source[];
  readonly ports: Pick<Ports, "clock" | "ids" | "tracing">;
  readonly onReport?: OnInboxReport;
  /** How long the body of one request may take, in ms. Default 10,000. */
  readonly bodyMsMax?: number;
  /** Asks Amazon for certificates and confirmations. Default: the built-in `fetch`. */
  readonly ask?: Ask;
}

/** Receives. */
export class Receiver {
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #ports: ReceiverOptions["ports"];
  readonly #onReport: OnInboxReport;
  readonly #readings: BodyReadings;
  readonly #ask: Ask;
  readonly #fetchCertificate: FetchCertificate;
  readonly #intake: Intake;
  readonly #refusals: Refusals;
  readonly #threads = new ReadingThreads();
  #heldBytes = 0;

  constructor(options: ReceiverOptions) {
    const { store, ports } = options;
    this.#sources = sourcesByName(options.sources);
    this.#ports = ports;
    this.#onReport = options.onReport ?? (() => undefined);
    this.#readings = new BodyReadings(ports.clock, options.bodyMsMax ?? BODY_MS_MAX);
    this.#ask = options.ask ?? ((url, init) => fetch(url, init));
    this.#fetchCertificate = certificateFetcher(this.#ask, ports.clock);
    this.#intake = new Intake(store, ports.clock);
    this.#refusals = new Refusals(store, ports.clock, ports.ids);
  }

  /** Answers a request for the source of this name. Never rejects. */
  async receive(sourceName: string, request: InboxRequest): Promise<InboxReply> {
    const source = this.#sources.get(sourceName);
    if (source === undefined) return plain(404);
    try {
      return await this.#answer(source, request);
    } catch (error) {
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      const kind = isAway ? "databaseAway" : "fault";
      this.#onReport({ kind, during: `receiving from ${source.name}`, error });
      return ourFault();
    }
  }

  /** Takes in what the provider's own list has, as if it had been posted. Throws what the store throws. */
  async takeListed(
    source: Source,
    item: { readonly headers: Headers; readonly body: Uint8Array },
  ): Promise<readonly TakenEvent[]> {
    const receivedAt = this.#ports.clock.now();
    const arrival: Arrival = { method: "POST", url: source.url, ...item, receivedAt };
    const content = await this.#read(source, arrival);
    const proof = { scheme: "the provider's list", secretId: "", signedAt: null };
    return this.#take({ arrival, source, how: "listed", proof, content });
  }

  /** Resolves when what was refused is noted. */
  settled(): Promise<void> {
    return this.#refusals.settled();
  }

  /** Ends the threads that read large bodies. Safe twice. */
  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #answer(source: Source, request: InboxRequest): Promise<InboxReply> {
    const early = await this.#answerEarly(source, request);
    if (early !== null) return early;
    const encoding = headerText(request.headers, "content-encoding");
    if (isCompressed(encoding) && (source.compression !== "gzip" || encoding?.toLowerCase() !== "gzip")) {
      this.#refuse(source, request, { reason: "compressed", bytes: 0 });
      return plain(415);
    }
    const declared = Number(headerText(request.headers, "content-length") ?? "0");
    if (declared > source.bodyBytesMax) return this.#refuseBody(source, request, "tooLarge", declared);
    return this.#held(declared > 0 ? declared : source.bodyBytesMax, () => this.#takeBody(source, request));
  }

  async #takeBody(source: Source, request: InboxRequest): Promise<InboxReply> {
    const { preset } = source;
    const reading = await this.#readings.read(request.body, source.bodyBytesMax);
    if (reading.kind !== "body") return this.#refuseBody(source, request, reading.kind, reading.bytes);
    const arrival: Arrival = {
      method: request.method,
      url: addressOf(source, request.query),
      headers: request.headers,
      body: reading.body,
      receivedAt: this.#ports.clock.now(),
    };
    const judged = await this.#judge(source, arrival);
    if (judged.verdict.kind === "refused") {
      if (judged.verdict.reason === "noSecret") throw noSecret(source);
      this.#refuse(source, request, { reason: judged.verdict.reason, bytes: reading.body.length });
      return plain(401);
    }
    const content = judged.content ?? (await this.#read(source, arrival));
    const challenge =
      content.kind === "content" && preset.challenge !== null
        ? challengeIn(preset.challenge, content.value, source.secrets())
        : null;
    if (challenge !== null) return this.#meet(challenge);
    const { scheme, secretId, signedAt } = judged.verdict;
    await this.#take({ arrival, source, how: "posted", proof: { scheme, secretId, signedAt }, content });
    return answerOf(preset.accepted);
  }

  /** Bodies are bounded one by one and all together, from their first byte to the answer. */
  async #held<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#heldBytes + bytes > HELD_BYTES_MAX) {
      throw new FootholdError(
        "DATABASE_UNAVAILABLE",
        `${HELD_BYTES_MAX} bytes of bodies are being taken in already.`,
      );
    }
    this.#heldBytes += bytes;
    try {
      return await work();
    } finally {
      this.#heldBytes -= bytes;
    }
  }

  /** What is answered before a body is read; null = go on. */
  async #answerEarly(
    { preset }: Source,
    { method, query, headers }: InboxRequest,
  ): Promise<InboxReply | null> {
    if (preset.challenge === "cloudEvents" && method === "OPTIONS") return allowOrigin(headers);
    const challenge = challengeInRequest(preset.challenge, { method, query });
    if (challenge !== null) return this.#meet(challenge);
    if (method !== "POST") return { ...plain(405), headers: { Allow: "POST" } };
    return bytesOf(headers) > HEADERS_BYTES_MAX ? plain(431) : null;
  }

  async #judge(
    source: Source,
    arrival: Arrival,
  ): Promise<{ readonly verdict: Verdict; readonly content: Content | null }> {
    const { preset, toleranceMs } = source;
    // What a stranger sent is read before it is judged only where the proof is within it.
    const content = isProofInBody(source) ? await this.#read(source, arrival) : null;
    const value: Json = content?.kind === "content" ? content.value : null;
    const verdict = await verifyArrival(arrival, {
      preset,
      toleranceMs,
      secrets: source.secrets(),
      body: value,
      fetchCertificate: this.#fetchCertificate,
    });
    return { verdict, content };
  }

  async #read(source: Source, arrival: Arrival): Promise<Content> {
    const encoding = headerText(arrival.headers, "content-encoding");
    const plainly = await plainBody(arrival.body, encoding, source.bodyBytesMax);
    if (plainly.kind === "unreadable") return plainly;
    const inflated = { ...arrival, body: plainly.bytes };
    if (plainly.bytes.length <= LARGE_BODY_BYTES) return readContent(inflated, source.preset);
    return this.#threads.read({ arrival: inflated, preset: source.preset });
  }

  async #meet(challenge: Challenge): Promise<InboxReply> {
    if (challenge.kind === "answer") return answerOf(challenge.answer);
    await confirmSubscription(this.#ask, challenge.url);
    return plain(200);
  }

  async #take(given: {
    readonly arrival: Arrival;
    readonly source: Source;
    readonly how: DeliveredHow;
    readonly proof: Pick<NewDelivery, "scheme" | "secretId" | "signedAt">;
    readonly content: Content;
  }): Promise<readonly TakenEvent[]> {
    const suffix = this.#ports.ids.unique();
    return followDelivery(this.#ports, given.source.name, async () => {
      const delivery = await deliveryOf({ ...given, suffix });
      try {
        return await this.#intake.take(delivery);
      } catch (error) {
        if (!isFootholdError(error) || error.code !== "INVALID_REQUEST") throw error;
        // Authentic, and the database cannot take what was read of it: the bytes it can.
        const content = { kind: "unreadable", why: error.message } as const;
        return this.#intake.take(await deliveryOf({ ...given, content, suffix }));
      }
    });
  }

  #refuseBody(
    source: Source,
    request: InboxRequest,
    reason: "tooLarge" | "tooSlow" | "broken",
    bytes: number,
  ): InboxReply {
    this.#refuse(source, request, { reason, bytes });
    const status = { tooLarge: 413, tooSlow: 408, broken: 400 }[reason];
    // What is left of the body is not read, so the connection cannot be used again.
    return { ...plain(status), headers: { Connection: "close" } };
  }

  #refuse(
    { tenant, name, preset }: Source,
    { headers }: InboxRequest,
    { reason, bytes }: { readonly reason: string; readonly bytes: number },
  ): void {
    this.#refusals.note({
      tenant,
      source: name,
      at: this.#ports.clock.now(),
      reason,
      bodyBytes: bytes,
      headers: keptHeaders(headers, preset.keptHeaders),
      isLost: reason === "tooLarge" || (!preset.retries && reason === "tooSlow"),
    });
  }
}

function sourcesByName(sources: readonly Source[]): ReadonlyMap<string, Source> {
  const named = new Map(sources.map((source) => [source.name, source]));
  if (named.size === sources.length) return named;
  throw new FootholdError("CONFIG_INVALID", "Two sources have one name, so one address: give each its own.");
}

/** Nothing can be told of the sender, who must not be told that it was wrong. */
function noSecret({ name, preset }: Source): FootholdError {
  return new FootholdError(
    "CONFIG_INVALID",
    `No secret of the source ${name} can be used: there is none, its time is over, or it is not written as ${preset.name} ` +
      "writes them. Whoever posts is asked to come again until `secrets` gives one.",
  );
}

/** Twilio signs the query as it was asked for; the rest of the address is ours to say. */
function addressOf({ url }: Source, query: string): string | null {
  if (url === null || query === "" || url.includes("?")) return url;
  return `${url}?${query}`;
}

function isProofInBody({ preset }: Source): boolean {
  return preset.schemes.some(
    (scheme) =>
      ["bodyToken", "sns", "adyen"].includes(scheme.kind) ||
      ("timestamp" in scheme && scheme.timestamp !== null && "path" in scheme.timestamp.from),
  );
}

function bytesOf(headers: Headers): number {
  let bytes = 0;
  for (const [name, values] of headers) for (const value of values) bytes += name.length + value.length + 4;
  return bytes;
}

/** The handshake of CloudEvents over HTTP: whoever knows the address may ask, and is told that it may post. */
function allowOrigin(headers: Headers): InboxReply {
  const origin = headerText(headers, "webhook-request-origin");
  if (origin === null || !/^[\w.:*-]{1,255}$/.test(origin)) return plain(400);
  return {
    status: 200,
    headers: { "WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "*", Allow: "POST" },
    body: "",
  };
}

function answerOf({ status, contentType, body }: Answer): InboxReply {
  return { status, headers: contentType === null ? {} : { "Content-Type": contentType }, body };
}

function plain(status: number): InboxReply {
  return { status, headers: {}, body: "" };
}

function ourFault(): InboxReply {
  return { status: 503, headers: { "Retry-After": String(RETRY_AFTER_S) }, body: "" };
}
