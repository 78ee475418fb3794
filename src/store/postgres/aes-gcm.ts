/**
 * AES-256-GCM over payloads. Each one has a random data key of its own; the first of the configured keys seals that, and
 * the header carries it. So another key costs 60 bytes a payload, and what is sealed stays as it is, hash and seals included.
 * Both are bound to the place of the payload: bytes that somebody puts elsewhere do not open there.
 */

import { createCipheriv, createDecipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { FootholdError } from "../../core/errors.ts";
import {
  codecFault,
  type KeptPayload,
  type OpenedPayload,
  type PayloadCodec,
  type PlainPayload,
  type RewrappedPayload,
  type SealedPayload,
} from "../../core/payload-codec.ts";
import { drawBytes } from "./system.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key. Its secret is 32 random bytes, as such or as text: base64, or 64 hexadecimal digits. */
export interface AesKey {
  /** What the database calls it, such as `2026-11`: at most 64 letters, digits, `.`, `_` and `-`. Never used for another. */
  readonly id: string;
  /** From the environment, say; nothing where `secretFile` has it. */
  readonly secret?: string | Uint8Array | undefined;
  /** A file that holds it as text. Read once, when the codec is made. */
  readonly secretFile?: string | undefined;
}

/** Options of `aesGcm`. */
export interface AesGcmOptions {
  /** The first one seals, all of them open. */
  readonly keys: readonly AesKey[];
  /** True = it opens, and seals nothing: for the first of two deploys. Default false. */
  readonly readOnly?: boolean;
}

/**
 * Seals payloads with AES-256-GCM. Throws `CONFIG_INVALID` when a secret is missing or not 32 bytes long, or an id cannot be
 * used; no secret is in any message.
 */
export function aesGcm({ keys, readOnly = false }: AesGcmOptions): PayloadCodec {
  const keyIds = keys.map(({ id }) => id);
  const fault = codecFault({ name: ALGORITHM, keyIds });
  if (fault !== null) throw invalid(fault);
  const secrets = new Map(keys.map((key) => [key.id, readSecret(key)]));
  const first = keyIds[0] ?? "";
  const wrapUnder = (dataKey: Uint8Array, place: string): string =>
    encrypt(secretOf(secrets, first), dataKey, `${first} ${place}`).toString("base64url");
  return {
    name: ALGORITHM,
    keyIds,
    readOnly,
    seal: (payloads) => payloads.map((one) => seal(one, first, wrapUnder)),
    open: (payloads) => payloads.map((one) => open(one, secrets)),
    rewrap: (payloads) =>
      payloads.map((one): RewrappedPayload => {
        const dataKey = unwrap(one, secrets);
        if (dataKey === null) return refused(one);
        return { kind: "rewrapped", keyId: first, header: wrapUnder(dataKey, one.place) };
      }),
  };
}

function seal(
  { place, bytes }: PlainPayload,
  keyId: string,
  wrap: (dataKey: Uint8Array, place: string) => string,
): SealedPayload {
  const dataKey = drawBytes(KEY_BYTES);
  return { keyId, header: wrap(dataKey, place), bytes: encrypt(dataKey, bytes, place) };
}

function open(payload: KeptPayload, secrets: ReadonlyMap<string, Uint8Array>): OpenedPayload {
  const dataKey = unwrap(payload, secrets);
  const bytes = dataKey === null ? null : decrypt(dataKey, payload.bytes, payload.place);
  return bytes === null ? refused(payload) : { kind: "opened", bytes };
}

/** The data key of a payload; null where no key of ours opens its header at this place. */
function unwrap(
  { keyId, header, place }: Omit<KeptPayload, "bytes">,
  secrets: ReadonlyMap<string, Uint8Array>,
): Buffer | null {
  const secret = secrets.get(keyId);
  if (secret === undefined) return null;
  const dataKey = decrypt(secret, Buffer.from(header, "base64url"), `${keyId} ${place}`);
  return dataKey?.length === KEY_BYTES ? dataKey : null;
}

function refused({ keyId }: Pick<KeptPayload, "keyId">): { readonly kind: "refused"; readonly why: string } {
  return {
    kind: "refused",
    why: `its bytes do not open with the key ${keyId}: they were changed, or are those of another place`,
  };
}

/** Nonce, what is encrypted, and the tag over both and the place. */
function encrypt(key: Uint8Array, bytes: Uint8Array, place: string): Buffer {
  const nonce = drawBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Null where it is not what was encrypted with this key for this place. */
function decrypt(key: Uint8Array, sealed: Uint8Array, place: string): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(tagAt));
  const bytes = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
  try {
    return Buffer.concat([bytes, decipher.final()]);
  } catch {
    // The tag does not fit, which is all that Node says of it.
    return null;
  }
}

function secretOf(secrets: ReadonlyMap<string, Uint8Array>, id: string): Uint8Array {
  const secret = secrets.get(id);
  if (secret === undefined) throw invalid(`its key ${id} has no secret`);
  return secret;
}

function readSecret({ id, secret, secretFile }: AesKey): Uint8Array {
  const given = secretFile === undefined ? secret : readSecretFile(id, secretFile);
  if (given === undefined || given.length === 0) {
    throw invalid(
      `its key ${id} has no secret: the variable or file that should hold it is empty or missing`,
    );
  }
  const bytes = typeof given === "string" ? bytesOf(given.trim()) : Uint8Array.from(given);
  if (bytes?.length === KEY_BYTES) return bytes;
  throw invalid(
    `the secret of its key ${id} is not 32 bytes long, written in base64 or as 64 hexadecimal digits. ` +
      `Make one with: openssl rand -base64 32`,
  );
}

function readSecretFile(id: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw invalid(`the file with the secret of its key ${id} cannot be read`, cause);
  }
}

/** Null where the text is neither; Node would leave out what it cannot read. */
function bytesOf(text: string): Uint8Array | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : null;
}

function invalid(why: string, cause?: unknown): FootholdError {
  return new FootholdError("CONFIG_INVALID", `The payload codec cannot be used: ${why}.`, { cause });
}
