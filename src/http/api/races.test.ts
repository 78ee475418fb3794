import { describe, expect, test, vi } from "vitest";
import { ENGINE_VERSION } from "../../engine/version.ts";
import { isFootholdError } from "../../core/errors.ts";
import { VERBS } from "../../core/rights.ts";
import { systemPorts } from "../../engine/system.ts";
import { onEachStore } from "../../desk/stores.fixture.ts";
import { testApp } from "../app.fixture.ts";
import { watchedClient } from "./every-route.fixture.ts";
import type { Client } from "../client/client.ts";
import type { SignIn } from "./identity.ts";
import type { Store } from "../../store/port.ts";

/** `FOOTHOLD_RACE_ROUNDS=1000 npx vitest run src/http/api/races.test.ts` is the soak. */
const ROUNDS = Number(process.env["FOOTHOLD_RACE_ROUNDS"] ?? "100");
const ROUND_MS_MAX = 2_000;

// Many rounds on a machine that may be busy.
vi.setConfig({ testTimeout: ROUNDS * ROUND_MS_MAX });

const order = { vendor: "ACME", amount: 12.5 };
const caseTypes = [{ name: "purchase", version: 1 }];

function as(store: Store, name: string): Client {
  const grants = [{ verbs: VERBS, tenants: "all", caseTypes: "all" }] as const;
  const signIn: SignIn = () => Promise.resolve({ name, person: null, signedInBy: "session", grants });
  return watchedClient(testApp(store, { signIn })).client;
}

/** What became of one who wanted the case. */
type Outcome = "got it" | { readonly refused: string; readonly told: string };

async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return "got it";
  } catch (error) {
    if (!isFootholdError(error)) throw error;
    return { refused: error.code, told: error.message };
  }
}

onEachStore("a race for one case through the API", (storeOf) => {
  describe("of two people and a worker", () => {
    test("has one winner each time, and the people who lose are told who has it and until when", async () => {
      const store = storeOf();
      const [ada, ben] = [as(store, "ada"), as(store, "ben")];
      const { ids } = systemPorts();
      const winners = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { caseId } = await ada.startCase({ type: "purchase", input: order });
        const people = [
          { name: "ada", client: ada },
          { name: "ben", client: ben },
        ] as const;
        const pair = round % 2 === 0 ? people : ([people[1], people[0]] as const);
        const holderId = ids.unique();
        const worker = {
          holderId,
          kind: "worker",
          name: "w-1",
          host: "h",
          build: "b",
          leaseMs: 60_000,
        } as const;
        await store.registerHolder({ ...worker, caseTypes, destinations: [] });
        const [claimed, one, other] = await Promise.all([
          // Begins at another moment in each round, so that each of the three wins some.
          systemPorts()
            .clock.sleep((round % 4) * 25)
            .then(() =>
              store.claimDue({
                holderId,
                claimIds: [ids.unique()],
                caseTypes,
                engineVersion: ENGINE_VERSION,
                actWithinMs: 60_000,
              }),
            ),
          outcomeOf(pair[0].client.openRepair({ caseId })),
          outcomeOf(pair[1].client.openRepair({ caseId })),
        ]);
        const won = [
          ...(claimed.cases.some(({ row }) => row.caseId === caseId) ? ["w-1"] : []),
          ...(one === "got it" ? [pair[0].name] : []),
          ...(other === "got it" ? [pair[1].name] : []),
        ];
        expect(won).toHaveLength(1);
        const [winner = ""] = won;
        winners.set(winner, (winners.get(winner) ?? 0) + 1);
        const { holding } = await ada.showCase({ caseId });
        expect(holding?.name).toBe(winner);
        for (const outcome of [one, other]) {
          if (outcome === "got it") continue;
          expect(outcome.refused).toBe("CASE_CLAIMED");
          expect(outcome.told).toContain(winner);
          expect(outcome.told).toMatch(/\d{4}-\d\d-\d\d/);
        }
      }
      expect(winners.size).toBeGreaterThan(1);
    });

    test("to correct on the same plan changes the case once at most", async () => {
      const store = storeOf();
      const [ada, ben] = [as(store, "ada"), as(store, "ben")];
      for (let round = 0; round < ROUNDS; round += 1) {
        const { caseId } = await ada.startCase({ type: "purchase", input: order });
        const { plan } = await ada.previewCase({ caseId });
        const seen = { plan: plan?.version ?? "" };
        const input = { ...order, amount: round + 1 };
        const outcomes = await Promise.all([
          outcomeOf(ada.correctInput({ caseId, input, reason: "typo" }, seen)),
          outcomeOf(ben.correctInput({ caseId, input: { ...input, vendor: "B" }, reason: "typo" }, seen)),
        ]);
        expect(outcomes.filter((one) => one === "got it")).toHaveLength(1);
        const lost = outcomes.find((one) => one !== "got it");
        expect(lost).toMatchObject({ refused: "PLAN_CHANGED" });
        const { history } = await ada.showCase({ caseId });
        expect(history.filter(({ kind }) => kind === "inputCorrected")).toHaveLength(1);
      }
    });
  });
});
