/** An order with shipments that have labels, each of them a case, at destinations that differ in what makes a repeat safe. */

import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { didNotHappen, happened } from "../../src/define/answers.ts";
import { look, post } from "./steps.ts";

/** Base URLs of the destinations. */
export interface LevelUrls {
  /** Deduplicates by key. */
  readonly bank: string;
  /** Can be asked, and no more. */
  readonly depot: string;
  /** Deduplicates by key. */
  readonly printer: string;
  /** Can neither be asked nor told that it has seen something before. */
  readonly mail: string;
}

/** What takes back an effect is posted there, with the id of that effect. */
export const BACK = "/back";

const retry = { firstDelay: "50ms" } as const;

const bank = defineDestination("bank", { idempotency: { by: "key", window: "24h" }, retry });
const printer = defineDestination("printer", { idempotency: { by: "key", window: "24h" }, retry });
const depot = defineDestination("depot", {
  idempotency: { by: "lookup" },
  readLag: "50ms",
  requestAge: "200ms",
  retry,
});
const mail = defineDestination("mail", { idempotency: { by: "none" }, retry });

interface Undone {
  readonly result: unknown;
  readonly input: unknown;
  readonly idempotencyKey: string;
  readonly fencingToken: number;
  readonly signal: AbortSignal;
}

function backAt(url: string) {
  return ({ result, ...given }: Undone): Promise<unknown> =>
    post({ url }, BACK)({ ...given, request: { undoes: idIn(result) } });
}

function idIn(result: unknown): string {
  return z.object({ id: z.string() }).parse(result).id;
}

/** The case types; what people start comes first. */
export function levelTypes(urls: LevelUrls) {
  const label = defineCase("label", { version: 1, owner: "print", input: z.object({ parcel: z.string() }) })
    .step("print", {
      to: printer,
      deadline: "20s",
      request: ({ input }) => ({ prints: input.parcel }),
      run: (given) => post({ url: urls.printer }, `/labels/${given.input.parcel}`)(given),
      undo: { run: backAt(urls.printer) },
    })
    .result(({ input }) => ({ label: `L-${input.parcel}` }));
  const shipment = defineCase("shipment", {
    version: 1,
    owner: "depot",
    input: z.object({ parcels: z.array(z.string()) }),
  })
    .step("pack", {
      to: depot,
      request: ({ input }) => input,
      run: post({ url: urls.depot }, "/packs"),
      check: look({ url: urls.depot }),
      undo: {
        run: backAt(urls.depot),
        check: async ({ idempotencyKey, signal }) => {
          const found = await fetch(`${urls.depot}/effects/${idempotencyKey}`, { signal });
          await found.text();
          return found.status === 404 ? didNotHappen() : happened(null);
        },
      },
    })
    .eachChild("labels", {
      items: ({ input }) => input.parcels,
      key: (parcel) => parcel,
      atOnce: 2,
      of: label,
      input: ({ item }) => ({ parcel: item }),
    })
    .result(({ results }) => ({ labels: Object.values(results.labels).map((one) => one.label) }));
  const order = defineCase("order", {
    version: 1,
    owner: "sales",
    input: z.object({ shipments: z.array(z.array(z.string())) }),
  })
    .step("pay", {
      to: bank,
      request: ({ input }) => ({ pays: input.shipments.length }),
      run: post({ url: urls.bank }, "/payments"),
      undo: { run: backAt(urls.bank) },
    })
    .step("tell", {
      to: mail,
      after: ["pay"],
      request: () => ({ tells: "it is on its way" }),
      run: post({ url: urls.mail }, "/mails"),
    })
    .eachChild("ship", {
      after: ["pay"],
      items: ({ input }) => input.shipments,
      key: (parcels) => parcels.join("-"),
      atOnce: 3,
      of: shipment,
      input: ({ item }) => ({ parcels: item }),
    })
    .sleep("rest", { for: "14d", after: ["tell", "ship"] });
  return [order, shipment, label] as const;
}
