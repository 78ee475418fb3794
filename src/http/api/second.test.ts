import { beforeEach, describe, expect, test } from "vitest";
import type { Grant } from "../../core/rights.ts";
import { createDesk } from "../../desk/desk.ts";
import { testRegistry } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { systemPorts } from "../../engine/system.ts";
import { ENGINE_VERSION } from "../../engine/version.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";
import type { SignIn } from "./identity.ts";

const everything: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };

function as(name: string, grant: Grant = everything): SignIn {
  const person = { personId: `id-${name}`, name, roles: [] };
  return () => Promise.resolve({ name, person, signedInBy: "session", grants: [grant] });
}

describe("second persons over the API", () => {
  let store: Store;
  let caseId = "";
  let requestId = "";
  const clientOf = (signIn: SignIn): Client => {
    const desk = createDesk({
      store,
      registry: testRegistry,
      ports: systemPorts(),
      engineVersion: ENGINE_VERSION,
      secondRules: [{ moves: ["cancel"], caseTypes: "all" }],
    });
    return watchedClient(testApp(store, { signIn, desk })).client;
  };

  beforeEach(async () => {
    store = memoryStore();
    const ada = clientOf(as("ada"));
    ({ caseId } = await ada.startCase({ type: "purchase", input: { vendor: "ACME", amount: 1 } }));
    const { plan } = await ada.showCase({ caseId });
    await ada.cancelCase({ caseId, reason: "not wanted" }, { plan: plan?.version ?? "" });
    ({ requestId = "" } = (await ada.listSeconds({ caseId })).requests[0] ?? {});
  });

  test("a move stands with its case and in a list, and is made by another person with the right", async () => {
    const ben = clientOf(as("ben"));
    expect((await ben.showCase({ caseId })).seconds).toMatchObject([{ requestId, askedBy: { name: "ada" } }]);
    expect((await refusalOf(clientOf(as("ada")).answerSecond({ requestId, approved: true }))).code).toBe(
      "SECOND_REFUSED",
    );
    expect(await ben.answerSecond({ requestId, approved: true })).toMatchObject({ outcome: "done" });
    expect((await ben.listSeconds()).requests).toEqual([]);
    expect((await ben.showCase({ caseId })).storedState).toBe("canceled");
  });

  test("whoever has not the right to the move does not answer, and whoever may not see the case sees none", async () => {
    const viewer = clientOf(as("eve", { ...everything, verbs: ["see"] }));
    expect((await viewer.listSeconds()).requests).toHaveLength(1);
    for (const approved of [true, false]) {
      expect((await refusalOf(viewer.answerSecond({ requestId, approved }))).code).toBe("NOT_ALLOWED");
    }
    const { lines } = await store.audit.list({ limit: 9, who: "id-eve" });
    expect(lines).toMatchObject([{ code: "NOT_ALLOWED", about: requestId }, { code: "NOT_ALLOWED" }]);
    const stranger = clientOf(as("max", { ...everything, tenants: ["other"] }));
    expect((await stranger.listSeconds()).requests).toEqual([]);
    const unseen = await refusalOf(stranger.answerSecond({ requestId, approved: true }));
    const unknown = await refusalOf(stranger.answerSecond({ requestId: "s07-nobody", approved: true }));
    expect([unseen.code, unknown.code]).toEqual(["SECOND_NOT_FOUND", "SECOND_NOT_FOUND"]);
    expect(unseen.message.replace(requestId, "")).toBe(unknown.message.replace("s07-nobody", ""));
  });
});
