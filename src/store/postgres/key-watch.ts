/**
 * Which keys payloads in the database are sealed with, looked at every few seconds by every process: one that lacks a key
 * of those must not claim what it cannot read, nor write plain what others seal. And who seals says so, so that a key is
 * taken off the list only once nobody does.
 */

import { FootholdError } from "../../core/errors.ts";
import type { StoredKey } from "../key-port.ts";
import type { Database } from "./database.ts";
import { elapsedMs } from "./system.ts";

/** How long what was seen holds, in ms. */
const LOOK_EVERY_MS = 10_000;

/** A key as its statement returns it. */
interface KeyRow {
  readonly codec: string;
  readonly key_id: string;
  readonly state: StoredKey["state"];
  readonly first_used_at: number;
  readonly used_at: number;
}

/** What one store knows of the keys in use. */
export class KeyWatch {
  readonly #database: Database;
  #looking: Promise<void> | null = null;
  #saying: Promise<void> | null = null;
  #lookAt = 0;
  #sayAt = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Before anything is claimed or begun. Throws `PAYLOAD_KEY_MISSING` where a key is in use that this process lacks. */
  async ready(): Promise<void> {
    await this.say();
    if (elapsedMs() < this.#lookAt) return;
    this.#looking ??= this.look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  /** Before anything is sealed: says which key seals. */
  async say(): Promise<void> {
    const { sealing } = this.#database.payloads;
    if (sealing === null || elapsedMs() < this.#sayAt) return;
    this.#saying ??= this.#sayNow([sealing.name, sealing.keyIds[0] ?? ""]).finally(() => {
      this.#saying = null;
    });
    await this.#saying;
  }

  async #sayNow(key: readonly [codec: string, keyId: string]): Promise<void> {
    await this.#database.run("use_payload_key", key);
    this.#sayAt = elapsedMs() + LOOK_EVERY_MS;
  }

  /** Looks now. Throws as {@link ready}. */
  async look(): Promise<void> {
    const keys = await this.list();
    const lost = keys.filter(({ state }) => state === "lost").map(({ keyId }) => keyId);
    this.#database.payloads.lostKeys = new Set(lost);
    const lacking = keys.filter(({ state, here }) => state === "inUse" && here === "missing");
    if (lacking.length > 0) throw missing(this.#database.place, lacking);
    this.#lookAt = elapsedMs() + LOOK_EVERY_MS;
  }

  /** Every key, as the port says. */
  async list(): Promise<readonly StoredKey[]> {
    const { codec, sealing } = this.#database.payloads;
    const rows = await this.#database.run<KeyRow>("list_payload_keys", []);
    return rows.map((row) => {
      const isKnown = codec?.name === row.codec && codec.keyIds.includes(row.key_id);
      const isFirst = sealing?.name === row.codec && sealing.keyIds[0] === row.key_id;
      return {
        codec: row.codec,
        keyId: row.key_id,
        state: row.state,
        firstUsedAt: row.first_used_at,
        usedAt: row.used_at,
        here: isFirst ? "seals" : isKnown ? "opens" : "missing",
      };
    });
  }
}

function missing(place: string, keys: readonly StoredKey[]): FootholdError {
  const named = keys.map(({ codec, keyId }) => `${keyId} of ${codec}`).join(", ");
  return new FootholdError(
    "PAYLOAD_KEY_MISSING",
    `Payloads in ${place} are sealed with a key that this process does not have: ${named}. It claims and starts nothing, ` +
      `as it could not read what it claims. Add the key to \`codec\` in its configuration; if nobody has it any more, ` +
      `say so with: foothold keys lost KEY`,
    { details: { keyId: keys[0]?.keyId ?? "" } },
  );
}
