import { describe } from "vitest";
import { memoryServer } from "../../src/store/memory/store.ts";
import { testContract } from "./contract/all.ts";
import { useSubject } from "./contract/contract.ts";

describe("the memory store", () => {
  let { store, replicate } = memoryServer();
  const bench = useSubject(async () => ({
    get store() {
      return store;
    },
    get other() {
      return store;
    },
    clear: async () => {
      await store.close();
      ({ store, replicate } = memoryServer());
    },
    replicate: async () => {
      const failOver = replicate();
      return async () => failOver();
    },
    close: () => store.close(),
  }));
  testContract(bench);
});
