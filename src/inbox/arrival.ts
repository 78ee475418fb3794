/** One request as it arrived: the bytes, the headers that may be kept, and where and when. */

/** Headers of a request by lower-case name. One that came several times has several values. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** A request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** The public address that the provider posted to, from the configuration: never from a header. Null = not known. */
  readonly url: string | null;
  readonly headers: Headers;
  /** As sent, never decoded and written again. */
  readonly body: Uint8Array;
  /** Epoch ms. */
  readonly receivedAt: number;
}

/** Longest value of a header that is read, in characters. */
const HEADER_CHARS_MAX = 4_096;
/** Longest value of a header that is kept, in characters. */
const KEPT_CHARS_MAX = 1_024;
/** Headers that are kept of one delivery. */
const KEPT_HEADERS_MAX = 40;

/** Kept whatever the source: nothing that could let somebody in. */
const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  "content-type",
  "content-encoding",
  "content-length",
  "date",
  "user-agent",
  "x-request-id",
  "traceparent",
]);
/** Kept only where a source names the very header: what it names with a `*` may be more than it knows. */
const PERHAPS_SECRET = /authorization|cookie|token|secret|password|api-?key|credential/;

/** What a header says. */
export type HeaderReading =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "absent" }
  /** Several times, or longer than {@link HEADER_CHARS_MAX}: nobody can say which part counts. */
  | { readonly kind: "unusable" };

/** Makes headers of pairs in the order in which they came. */
export function headersOf(pairs: Iterable<readonly [string, string]>): Headers {
  const headers = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    const values = headers.get(key);
    if (values === undefined) headers.set(key, [value]);
    else values.push(value);
  }
  return headers;
}

/** The one value of a header. */
export function readHeader(headers: Headers, name: string): HeaderReading {
  const values = headers.get(name) ?? [];
  const [value] = values;
  if (value === undefined) return { kind: "absent" };
  if (values.length > 1 || value.length > HEADER_CHARS_MAX) return { kind: "unusable" };
  return { kind: "value", value };
}

/** The value of a header, or null where there is none that can be used. */
export function headerText(headers: Headers, name: string): string | null {
  const reading = readHeader(headers, name);
  return reading.kind === "value" ? reading.value : null;
}

/** Kept by no source, whatever it asks for. */
const NEVER_KEPT = /^(?:authorization|proxy-authorization|cookie|set-cookie)$/;

/** The headers that are stored: those of every source and those that `named` lists, cut, never one that lets somebody in. */
export function keptHeaders(
  headers: Headers,
  named: readonly string[],
): readonly (readonly [string, string])[] {
  const kept: (readonly [string, string])[] = [];
  for (const [name, values] of headers) {
    if (kept.length >= KEPT_HEADERS_MAX) break;
    // What a source names is its own: its delivery id may well be called a token.
    const isNamed = ALWAYS_KEPT.has(name) || named.includes(name);
    const isMeant = named.some((one) => one.endsWith("*") && name.startsWith(one.slice(0, -1)));
    if (NEVER_KEPT.test(name) || !(isNamed || (isMeant && !PERHAPS_SECRET.test(name)))) continue;
    for (const value of values.slice(0, 4)) kept.push([name, storable(value.slice(0, KEPT_CHARS_MAX))]);
  }
  return kept;
}

/** Printable, so that a header can rewrite no log and no terminal. */
function storable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, "?");
}
