/** Keys of the memory store: it has none, as it keeps values, not bytes, and nothing at rest. */

import type { KeyStore } from "../key-port.ts";

/** Makes it. */
export function memoryKeys(): KeyStore {
  return {
    list: async () => [],
    rewrap: async () => ({ seen: 0, turned: 0, unturned: [], next: null }),
    retire: async () => [],
    lose: async () => false,
  };
}
