/** Sealing what is stored and opening what is read, with the codec of the store; without one everything is kept as it is. */

import { FootholdError, isFootholdError, type ErrorCode } from "../../core/errors.ts";
import {
  markOf,
  readMark,
  type KeptPayload,
  type PayloadCodec,
  type PlainPayload,
} from "../../core/payload-codec.ts";

/** A payload ready to be stored: its mark, and the bytes that go beside it. */
export interface StorablePayload {
  readonly codec: string;
  readonly body: Buffer;
}

/** A payload as it is stored, and where. */
export interface FoundPayload extends StorablePayload {
  readonly place: string;
}

/** Why a payload cannot be opened. */
export interface PayloadFault {
  readonly code: "PAYLOAD_KEY_MISSING" | "PAYLOAD_DAMAGED";
  /** A part of a sentence: what is the matter with it. */
  readonly what: string;
  readonly keyId: string;
}

/** An opened payload: as it was before it was sealed, or why that cannot be had. */
export type ReadPayload =
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "unreadable"; readonly fault: PayloadFault };

/** The payloads of one store. */
export class Payloads {
  readonly codec: PayloadCodec | null;
  /** Keys that nobody has any more, as the database says. */
  lostKeys: ReadonlySet<string> = new Set();

  constructor(codec: PayloadCodec | null) {
    this.codec = codec;
  }

  /** The codec where it seals what is written; null = what is written stays as it is. */
  get sealing(): PayloadCodec | null {
    return this.codec === null || this.codec.readOnly === true ? null : this.codec;
  }

  /** Seals payloads; `word` is the mark of those that stay as they are. Throws `DATABASE_UNAVAILABLE` when keys are away. */
  async seal(payloads: readonly PlainPayload[], word: string): Promise<readonly StorablePayload[]> {
    const { sealing } = this;
    if (sealing === null || payloads.length === 0) {
      return payloads.map(({ bytes }) => ({ codec: word, body: bufferOf(bytes) }));
    }
    const sealed = await asked(sealing, "seal", payloads.length, () => sealing.seal(payloads));
    return sealed.map((one) => {
      const codec = markOf(sealing.name, one);
      if (codec === null || !sealing.keyIds.includes(one.keyId)) {
        throw faulty(sealing, "gave a key id or header that cannot be stored");
      }
      return { codec, body: bufferOf(one.bytes) };
    });
  }

  /**
   * Opens payloads; those that are not sealed come as they are. One that cannot be opened keeps no other from it. Throws
   * `DATABASE_UNAVAILABLE` when keys are away.
   */
  async open(found: readonly FoundPayload[]): Promise<readonly ReadPayload[]> {
    const { codec } = this;
    const read: ReadPayload[] = [];
    const kept: (readonly [index: number, payload: KeptPayload])[] = [];
    for (const [index, { codec: mark, place, body }] of found.entries()) {
      const { kind, ...sealed } = readMark(mark);
      read.push({ kind: "read", body });
      if (kind === "plain" || !("keyId" in sealed)) continue;
      const { keyId, header } = sealed;
      if (codec?.name === sealed.codec && codec.keyIds.includes(keyId)) {
        kept.push([index, { place, keyId, header, bytes: body }]);
      } else read[index] = { kind: "unreadable", fault: this.#keyless(sealed.codec, keyId) };
    }
    if (codec === null || kept.length === 0) return read;
    const payloads = kept.map(([, payload]) => payload);
    const opened = await asked(codec, "open", payloads.length, () => codec.open(payloads));
    for (const [at, [index, { keyId }]] of kept.entries()) {
      const one = opened[at];
      if (one?.kind === "opened") read[index] = { kind: "read", body: bufferOf(one.bytes) };
      else {
        const what = one?.why ?? "its codec said nothing of it";
        read[index] = { kind: "unreadable", fault: { code: "PAYLOAD_DAMAGED", what, keyId } };
      }
    }
    return read;
  }

  #keyless(codec: string, keyId: string): PayloadFault {
    return this.lostKeys.has(keyId)
      ? { code: "PAYLOAD_DAMAGED", what: `its key ${keyId} of ${codec} is marked as lost`, keyId }
      : {
          code: "PAYLOAD_KEY_MISSING",
          what: `it is sealed with the key ${keyId} of ${codec}, which this process does not have`,
          keyId,
        };
  }
}

/** What to throw about a payload that cannot be opened. `what` names it, such as "The body of delivery d07-…". */
export function unreadable(what: string, { code, what: why, keyId }: PayloadFault): FootholdError {
  return new FootholdError(code, `${what} cannot be read: ${why}. ${REMEDIES[code]}`, { details: { keyId } });
}

/** What to do about each fault. */
export const REMEDIES: Readonly<Record<PayloadFault["code"], string>> = {
  PAYLOAD_KEY_MISSING:
    "Nothing was changed; add the key to the codec in this process's configuration and start it again.",
  PAYLOAD_DAMAGED: "Nothing was changed; restore its row from a backup.",
};

/** Asks a codec. Whatever it throws is taken for keys that are away: the message may hold anything, and is not repeated. */
export async function asked<Answer>(
  codec: PayloadCodec,
  what: "seal" | "open" | "rewrap",
  count: number,
  ask: () => readonly Answer[] | PromiseLike<readonly Answer[]>,
): Promise<readonly Answer[]> {
  let answers: readonly Answer[];
  try {
    answers = await ask();
  } catch (cause) {
    if (isFootholdError(cause)) throw cause;
    throw new FootholdError(
      "DATABASE_UNAVAILABLE",
      `The payload codec ${codec.name} could not ${what} ${count} payloads: its keys are away, or it failed ` +
        `(see the cause). It is tried again as with a database that is away.`,
      { cause },
    );
  }
  if (answers.length !== count) throw faulty(codec, `gave ${answers.length} answers for ${count} payloads`);
  return answers;
}

function faulty({ name }: PayloadCodec, what: string): FootholdError {
  const code: ErrorCode = "CONFIG_INVALID";
  return new FootholdError(code, `The payload codec ${name} ${what}. Correct it, or use aesGcm.`);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
