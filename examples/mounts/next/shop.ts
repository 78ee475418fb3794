/** The shop of a Next server: one for the process, begun by instrumentation.ts. */

import { postgresStore } from "foothold/postgres";
import { startShop, type Shop } from "../shop.ts";

declare global {
  // Next may load a module more than once; what runs is kept where all of them find it.
  var shopOfThisProcess: Promise<Shop> | undefined;
}

/** The running one; begun by the first call. */
export function shop(): Promise<Shop> {
  return (globalThis.shopOfThisProcess ??= begin());
}

async function begin(): Promise<Shop> {
  const store = postgresStore({ url: setting("DATABASE_URL") });
  const running = await startShop({
    store,
    warehouseUrl: setting("WAREHOUSE_URL"),
    secret: setting("PAYMENTS_SECRET"),
  });
  return {
    ...running,
    stop: async () => {
      globalThis.shopOfThisProcess = undefined;
      await running.stop();
      await store.close();
    },
  };
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
