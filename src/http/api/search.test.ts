import { describe, expect, test } from "vitest";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { memoryStore } from "../../store/memory/store.ts";
import { testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";
import type { SignIn } from "./identity.ts";

async function start(client: Client): Promise<string> {
  const { caseId } = await client.startCase({ type: "purchase", input: { vendor: "ACME", amount: 12.5 } });
  return caseId;
}

const byToken: SignIn = async () => ({
  name: "ada (ci)",
  person: { personId: "p-1", name: "ada", roles: [] },
  signedInBy: "token",
  grants: [{ verbs: "all", tenants: "all", caseTypes: "all" }],
});

describe("the API", () => {
  test("finds and counts cases by search attributes, and tells what each is found by", async () => {
    const { client } = watchedClient(testApp(memoryStore()));
    const caseId = await start(client);
    const search = [
      { name: "vendor", type: "text", value: "ACME" },
      { name: "amount", type: "number", value: "12.5", number: 12.5 },
    ];
    expect((await client.listCases({ find: ["vendor:ACME", "amount:10..20"] })).cases).toMatchObject([
      { caseId, search },
    ]);
    expect(await client.showCase({ caseId })).toMatchObject({ search });
    expect(await client.countCases({ type: "purchase", find: ["amount:..12.5"] })).toMatchObject({
      count: 1,
    });
    // A comma is part of a value: this is one, and no case has it.
    expect(await client.countCases({ find: ["vendor:ACME,Inc"] })).toMatchObject({ count: 0 });
    for (const [find, told] of [
      [["color:red"], "Attributes: vendor, amount; and tag"],
      [["amount:many"], "give amount as 100"],
      [Array.from({ length: 11 }, () => "vendor:ACME"), "find"],
    ] as const) {
      const refused = await refusalOf(client.listCases({ find }));
      expect([refused.code, refused.message]).toEqual(["INVALID_REQUEST", expect.stringContaining(told)]);
    }
    expect(
      (await refusalOf(client.listCases({ type: "side-by-side", find: ["vendor:A"] }))).message,
    ).toContain("Attributes: none");
  });

  test("finds what is whose, what needs people and what is overdue", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store, { signIn: byToken }));
    const named = await start(client);
    const byId = await start(client);
    const nobodys = await start(client);
    await client.assignCase({ caseId: named, to: { id: "ada", label: "Ada" } });
    await client.assignCase({ caseId: byId, to: { id: "p-1", label: "Ada" } });
    await client.cancelCase({ caseId: nobodys, reason: "a test" }, { plan: "*" });
    const found = async (query: Parameters<Client["listCases"]>[0]): Promise<ReadonlySet<string>> =>
      new Set((await client.listCases(query)).cases.map(({ caseId }) => caseId));
    expect(await found({ assignee: "me" })).toEqual(new Set([named, byId]));
    expect(await found({ assignee: "ada" })).toEqual(new Set([named]));
    expect(await found({ assignee: "-" })).toEqual(new Set([nobodys]));
    expect(await found({ open: true })).toEqual(new Set([named, byId]));
    expect(await found({ needsPeople: true })).toEqual(new Set());
    expect(await found({ overdue: true })).toEqual(new Set());
  });

  test("tells nobody of attributes of case types that they may not see", async () => {
    const store = memoryStore();
    await start(watchedClient(testApp(store)).client);
    const grants = [{ verbs: ["see"], tenants: "all", caseTypes: ["side-by-side"] }] as const;
    const signIn: SignIn = async () => ({ name: "eve", person: null, signedInBy: "session", grants });
    const { client } = watchedClient(testApp(store, { signIn }));
    const refused = await refusalOf(client.listCases({ find: ["vendor:ACME"] }));
    expect(refused.message).toContain('there is no attribute "vendor". Attributes: none');
    expect(await client.countCases({ find: ["tag:vip"] })).toMatchObject({ count: 0 });
  });
});
