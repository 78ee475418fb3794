/** `foothold/memory`: the store in memory, for tests and trials. */

export { memoryStore } from "./store/memory/store.ts";
export type { MemoryStoreOptions } from "./store/memory/store.ts";
