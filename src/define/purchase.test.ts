import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cannotTell, didNotHappen, happened } from "./answers.ts";
import { defineCase } from "./builder.ts";
import { defineDestination } from "./destination.ts";

const Purchase = z.object({ vendor: z.string(), amount: z.number(), requester: z.string() });
const Revoked = z.object({ reason: z.string() });
const Approval = z.object({ costCenter: z.string() });

/** What a client of such a service takes. */
interface Call {
  readonly key?: string;
  readonly token?: number;
  readonly signal: AbortSignal;
}
const client = {
  create: async (record: { vendor: string; amount: number }, { key }: Call): Promise<{ recordId: string }> =>
    Promise.resolve({ recordId: `${record.vendor}-${key}` }),
  find: async (key: string, { signal }: Call): Promise<{ id: string } | null | "down"> =>
    Promise.resolve(signal.aborted ? "down" : { id: key }),
  sendMail: async (to: string, text: string, { signal }: Call): Promise<void> =>
    signal.aborted ? Promise.reject(new Error(`${to}: ${text}`)) : Promise.resolve(),
};

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  credential: () => "erp-service-account",
  owners: { access: "erp-admins", input: "purchasing", outage: "platform" },
  retry: { maxAttempts: 5, giveUpAfter: "4h" },
});

const mail = defineDestination("mail", { idempotency: { by: "none" } });

const purchase = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: Purchase,
  events: { "approval.revoked": Revoked },
})
  .approval("approve", { by: "finance", form: Approval, expires: "3d" })
  .step("createRecord", {
    to: erp,
    requires: {
      "approval still stands": ({ events }) => !events.latest("approval.revoked", { after: "approve" }),
    },
    uses: ["vendor", "amount"],
    request: ({ input }) => ({ vendor: input.vendor, amount: input.amount }),
    run: async ({ request, idempotencyKey, fencingToken, signal }) =>
      client.create(request, { key: idempotencyKey, token: fencingToken, signal }),
    check: async ({ idempotencyKey, signal }) => {
      const found = await client.find(idempotencyKey, { signal });
      if (found === "down") return cannotTell("the ERP is down");
      return found === null ? didNotHappen() : happened({ recordId: found.id }, found);
    },
  })
  .step("notify", {
    to: mail,
    after: ["createRecord"],
    run: async ({ input, results, signal }) =>
      client.sendMail(
        input.requester,
        `${results.createRecord.recordId}, approved by ${results.approve.by}, on ${results.approve.form.costCenter}`,
        { signal },
      ),
  });

describe("the purchase of the design", () => {
  const { outline } = purchase;

  test("has an outline with every default written out", () => {
    expect(outline).toEqual({
      name: "purchase",
      version: 1,
      owner: "purchasing",
      removed: [],
      events: ["approval.revoked"],
      steps: [
        {
          kind: "approval",
          name: "approve",
          after: [],
          formerly: [],
          closure: [],
          when: [],
          requires: [],
          uses: null,
          by: "finance",
          expiresMs: 259_200_000,
        },
        {
          kind: "step",
          name: "createRecord",
          after: ["approve"],
          formerly: [],
          closure: ["approve"],
          when: [],
          requires: [{ kind: "fact", name: "approval still stands" }],
          before: [],
          uses: ["vendor", "amount"],
          hasRequest: true,
          hasCheck: true,
          deadlineMs: 30_000,
          versionCondition: null,
          onLapse: "review",
          undo: null,
          destination: {
            name: "erp",
            repeatSafety: { by: "key", windowMs: 86_400_000 },
            credentialId: "erp-service-account",
            owners: { access: "erp-admins", input: "purchasing", outage: "platform" },
            retry: {
              maxAttempts: 5,
              maxRequests: 8,
              maxThrottles: 20,
              giveUpAfterMs: 14_400_000,
              firstDelayMs: 5_000,
              maxDelayMs: 900_000,
            },
            readLagMs: 10_000,
            canRefresh: false,
            inFlight: { start: 10, max: 64 },
            requestAgeMs: 0,
          },
        },
        {
          kind: "step",
          name: "notify",
          after: ["createRecord"],
          formerly: [],
          closure: ["approve", "createRecord"],
          when: [],
          requires: [],
          before: [],
          uses: null,
          hasRequest: false,
          hasCheck: false,
          deadlineMs: 30_000,
          versionCondition: null,
          onLapse: "review",
          undo: null,
          destination: {
            name: "mail",
            repeatSafety: { by: "none" },
            credentialId: "mail",
            owners: { access: null, input: null, outage: null },
            retry: {
              maxAttempts: 5,
              maxRequests: 8,
              maxThrottles: 20,
              giveUpAfterMs: 14_400_000,
              firstDelayMs: 5_000,
              maxDelayMs: 900_000,
            },
            readLagMs: 10_000,
            canRefresh: false,
            inFlight: { start: 10, max: 64 },
            requestAgeMs: 0,
          },
        },
      ],
    });
    expect(JSON.parse(JSON.stringify(outline))).toEqual(outline);
  });

  test("is read once: what it gives stays the same value", () => {
    expect(purchase.outline).toBe(outline);
    expect(purchase.steps).toBe(purchase.steps);
  });

  test("is not changed by what is added to it", () => {
    const longer = purchase.sleep("rest", { for: "1d" });
    expect(longer.outline.steps.map(({ name }) => name)).toEqual([
      "approve",
      "createRecord",
      "notify",
      "rest",
    ]);
    expect(purchase.outline.steps).toHaveLength(3);
  });

  test("holds nothing under names that it was not given", () => {
    expect(purchase.steps["constructor"]).toBeUndefined();
    expect(purchase.events["toString"]).toBeUndefined();
  });

  test("has schemas for its input, its events and its forms", async () => {
    const { approve } = purchase.steps;
    expect(await purchase.input({ vendor: "Ruiz", amount: 1, requester: "kim@example.org" })).toMatchObject({
      kind: "valid",
    });
    expect(await purchase.input({ vendor: "Ruiz" })).toMatchObject({ kind: "invalid" });
    expect(await purchase.events["approval.revoked"]?.({ reason: 7 })).toMatchObject({ kind: "invalid" });
    expect(approve?.kind === "approval" && (await approve.form?.({ costCenter: "4711" }))).toEqual({
      kind: "valid",
      value: { costCenter: "4711" },
    });
  });
});
