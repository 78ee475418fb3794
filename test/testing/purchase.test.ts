import { expectSafe, rehearse, type RehearsalOptions } from "foothold/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { definePurchase } from "../../examples/purchase/purchase.ts";
import { startErp } from "../../examples/services/erp.ts";
import type { RunningService } from "../../examples/services/http-service.ts";
import { readLedgerAt } from "../../examples/services/ledger-reader.ts";
import { startMail } from "../../examples/services/mail.ts";

/** How long a rehearsal over real HTTP may take, in ms. */
const REHEARSAL_MS_MAX = 60_000;

const options: RehearsalOptions<{ item: string; vendor: string; amount: number; requester: string }> = {
  input: { item: "Standing desk", vendor: "ACME", amount: 480, requester: "kim@example.com" },
  approvals: { approve: { limit: 500 } },
};

let erp: RunningService;
let mail: RunningService;

beforeAll(async () => {
  // Each message is answered with 503 once, so that a second attempt is rehearsed too.
  [erp, mail] = await Promise.all([startErp(), startMail({ switches: { failFirstPerKey: 1 } })]);
});

afterAll(async () => {
  await Promise.all([erp.stop(), mail.stop()]);
});

describe("the purchase example, rehearsed over real HTTP", () => {
  test(
    "is safe at every step, as the ledgers of its systems say",
    { timeout: REHEARSAL_MS_MAX },
    async () => {
      const purchase = definePurchase({ erpUrl: erp.url, mailUrl: mail.url });
      const report = await rehearse(purchase, {
        ...options,
        effects: async (caseId) => {
          const ledgers = await Promise.all([readLedgerAt(erp.url), readLedgerAt(mail.url)]);
          const effects = ledgers.flatMap((ledger) => ledger.effects);
          return effects
            .filter(({ step }) => step.caseId === caseId)
            .map(({ id, service }) => ({ step: service === "erp" ? "createRecord" : "notify", id }));
        },
      });
      expectSafe(report);
      expect(report.steps).toMatchObject([
        { step: "createRecord", judgedBy: "effects" },
        { step: "notify", judgedBy: "effects" },
      ]);
      const verdicts = report.steps.flatMap(({ cells }) => cells.map(({ verdict }) => verdict));
      expect(verdicts).toHaveLength(30);
      expect(new Set(verdicts)).toEqual(new Set(["safe"]));
    },
  );

  test("shows it by its answers alone as well", { timeout: REHEARSAL_MS_MAX }, async () => {
    const report = await rehearse(definePurchase({ erpUrl: erp.url, mailUrl: mail.url }), options);
    expectSafe(report);
    expect(report.steps.map(({ judgedBy }) => judgedBy)).toEqual(["answers", "answers"]);
  });
});
