/** The keys that payloads are sealed with, as a store knows them, and turning payloads to another one. */

/** A key that payloads in this store are sealed with, or were. */
export interface StoredKey {
  /** The codec that it belongs to, such as `aes-256-gcm`. */
  readonly codec: string;
  readonly keyId: string;
  /** `lost`: somebody said that nobody has it any more; what it sealed is taken for damaged. */
  readonly state: "inUse" | "lost";
  readonly firstUsedAt: number;
  /** When a process last said that it seals with it, to within 10 s. */
  readonly usedAt: number;
  /** What this process can do with it. `seals`: it is the first of those configured. */
  readonly here: "seals" | "opens" | "missing";
}

/** A payload that could not be turned to another key. */
export interface UnturnedPayload {
  readonly place: string;
  readonly why: string;
}

/** What became of one batch of payloads. */
export interface RewrapPage {
  /** Payloads that were looked at. */
  readonly seen: number;
  /** Of these, those that are sealed with the first key now and were not before. */
  readonly turned: number;
  readonly unturned: readonly UnturnedPayload[];
  /** Where the next batch begins; null = this was the last one. */
  readonly next: string | null;
}

/** Payloads in one batch at most. */
export const REWRAP_MAX = 1_000;

/** What a store does about the keys of its payloads. Errors as in the store's port. */
export interface KeyStore {
  /** Every key that is in use or lost. Empty where nothing was ever sealed, as in memory. */
  list(): Promise<readonly StoredKey[]>;
  /**
   * Turns the next payloads, at most {@link REWRAP_MAX}, to the first key; null = from the beginning. What has it already
   * stays untouched, so that a run that was broken off is begun anew. Throws `CONFIG_INVALID` where nothing here seals.
   */
  rewrap(after: string | null): Promise<RewrapPage>;
  /**
   * Takes every key but the first off the list that no process sealed with since 5 minutes before `since` (epoch ms), when
   * a pass over all payloads began that left none. Gives the keys that it took off.
   */
  retire(since: number): Promise<readonly string[]>;
  /**
   * Says that nobody has a key any more. Workers go on then, and cases with payloads of it are set aside as unreadable.
   * False where no such key is in use.
   */
  lose(keyId: string): Promise<boolean>;
}
