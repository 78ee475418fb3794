import { describe } from "vitest";
import { memoryStore } from "../../src/store/memory/store.ts";
import { testContract } from "./contract/all.ts";
import { useSubject } from "./contract/contract.ts";

describe("the memory store", () => {
  let store = memoryStore();
  const bench = useSubject(async () => ({
    get store() {
      return store;
    },
    get other() {
      return store;
    },
    clear: async () => {
      await store.close();
      store = memoryStore();
    },
    close: () => store.close(),
  }));
  testContract(bench);
});
