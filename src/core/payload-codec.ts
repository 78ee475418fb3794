/**
 * How what a case works with is kept: the codec that a store is given, and the mark beside each payload that says how its
 * bytes are to be read. A mark is a word such as `json` for bytes that are kept as they are, else
 * `codec:key id:header`. The bytes of a sealed payload never change; turning it to another key writes a new mark.
 */

/** Bytes that are to be kept, and the one place that they are for, such as `journal/07-…/12`. */
export interface PlainPayload {
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** What is kept of a payload. Neither key id nor header may hold `:`; both are readable by whoever reads the database. */
export interface SealedPayload {
  /** The key that it was sealed with: at most 64 letters, digits, `.`, `_` and `-`. */
  readonly keyId: string;
  /** What opening it needs beside the bytes, such as its data key sealed by that key; at most 2,048 characters. */
  readonly header: string;
  readonly bytes: Uint8Array;
}

/** A payload as it was found, and the place that it was found at. */
export interface KeptPayload extends SealedPayload {
  readonly place: string;
}

/** What opening a payload gave; `refused` says why its bytes are none that this codec sealed for that place. */
export type OpenedPayload =
  | { readonly kind: "opened"; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly why: string };

/** What turning a payload to the first key gave. */
export type RewrappedPayload =
  | { readonly kind: "rewrapped"; readonly keyId: string; readonly header: string }
  | { readonly kind: "refused"; readonly why: string };

/**
 * What seals and opens payloads. Every method takes many at once and gives one answer for each, in order. What it throws is
 * taken for keys that are away: whoever asked tries again, as with a database that is away.
 */
export interface PayloadCodec {
  /** What it is known by in the database: at most 32 small letters, digits and `-`. */
  readonly name: string;
  /** Every key that it opens with. The first one seals. */
  readonly keyIds: readonly string[];
  /** True = it opens what is sealed and seals nothing: for the first of two deploys, before all processes know the keys. */
  readonly readOnly?: boolean;
  /** Seals with the first key; not asked where `readOnly`. */
  seal(payloads: readonly PlainPayload[]): readonly SealedPayload[] | PromiseLike<readonly SealedPayload[]>;
  /** Opens what any of its keys sealed; never throws for bytes that are none of its own. */
  open(payloads: readonly KeptPayload[]): readonly OpenedPayload[] | PromiseLike<readonly OpenedPayload[]>;
  /** Gives each the key id and header by which the first key opens the same bytes. */
  rewrap(
    payloads: readonly Omit<KeptPayload, "bytes">[],
  ): readonly RewrappedPayload[] | PromiseLike<readonly RewrappedPayload[]>;
}

/** A mark, read. */
export type PayloadMark =
  | { readonly kind: "plain"; readonly word: string }
  | { readonly kind: "sealed"; readonly codec: string; readonly keyId: string; readonly header: string };

const CODEC_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const HEADER = /^[^:\s]{0,2048}$/;

/** Why a codec cannot be used; null = it can. Secrets are in no sentence. */
export function codecFault({ name, keyIds }: Pick<PayloadCodec, "name" | "keyIds">): string | null {
  if (!CODEC_NAME.test(name)) return `its name ${JSON.stringify(name)} is not small letters, digits and -`;
  if (keyIds.length === 0) return "it has no key";
  const odd = keyIds.find((id) => !KEY_ID.test(id));
  if (odd !== undefined) {
    return `its key id ${JSON.stringify(odd)} is not at most 64 letters, digits, dots, _ and -`;
  }
  const twice = keyIds.find((id, index) => keyIds.indexOf(id) !== index);
  return twice === undefined ? null : `it has two keys with the id ${twice}`;
}

/** The mark of a sealed payload; null where its parts cannot be one. */
export function markOf(codec: string, { keyId, header }: Omit<SealedPayload, "bytes">): string | null {
  return KEY_ID.test(keyId) && HEADER.test(header) ? `${codec}:${keyId}:${header}` : null;
}

/** Reads a mark. One that is none of ours is a word that nobody knows. */
export function readMark(mark: string): PayloadMark {
  const [codec, keyId, header, ...more] = mark.split(":");
  if (codec === undefined || keyId === undefined || header === undefined || more.length > 0) {
    return { kind: "plain", word: mark };
  }
  const isSealed = CODEC_NAME.test(codec) && KEY_ID.test(keyId);
  return isSealed ? { kind: "sealed", codec, keyId, header } : { kind: "plain", word: mark };
}

/** What of a mark stays the same whatever key the payload is turned to: seals are over this. */
export function steadyMark(mark: string): string {
  const read = readMark(mark);
  return read.kind === "sealed" ? read.codec : mark;
}
