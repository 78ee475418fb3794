import { afterEach, describe, expect, test } from "vitest";
import type { SecretOption } from "foothold/inbox";
import { openWorld, secret, shopSource, type World } from "./world.ts";

const DAY_MS = 86_400_000;

describe("what is wrong with our own secrets is no fault of the sender, who is asked to come again", () => {
  let world: World;
  afterEach(() => world.close());

  const answerWith = async (
    secrets: () => SecretOption | readonly SecretOption[],
    preset: "hmac" | "svix" | "adyen" = "hmac",
  ): Promise<Response> => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [["shop", shopSource(order, { preset, secrets })]],
    });
    return fetch(`${world.url}/inbox/shop`, {
      method: "POST",
      headers: {
        "x-signature-256": `sha256=${"0".repeat(64)}`,
        "svix-signature": "v1,AAAA",
        "svix-id": "m",
        "svix-timestamp": String(Math.floor(Date.now() / 1_000)),
      },
      body: JSON.stringify({ notificationItems: [{}] }),
    });
  };

  // What an environment variable that is not set gives.
  const unset = undefined as unknown as string;

  const unusable: readonly (readonly [string, () => SecretOption | readonly SecretOption[]])[] = [
    ["there is none", () => []],
    ["it is empty", () => ""],
    ["it is not set", () => unset],
    ["none of several is set", () => [unset, unset]],
    ["the time of the only one is over", () => ({ secret, notAfterAt: Date.now() - DAY_MS })],
  ];

  test.each(unusable)("where %s", async (_what, secrets) => {
    const response = await answerWith(secrets);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(world.reports).toMatchObject([
      { kind: "fault", during: "receiving from shop", error: { code: "CONFIG_INVALID" } },
    ]);
    await world.inbox.settled();
    expect(await world.store.inbox.listRefusals(10)).toEqual([]);
  });

  test.each([
    ["svix", "whsec_***"],
    ["adyen", "not hexadecimal"],
  ] as const)("where it is not written as %s writes secrets", async (preset, written) => {
    expect((await answerWith(() => written, preset)).status).toBe(503);
    expect(world.reports).toMatchObject([{ error: { code: "CONFIG_INVALID" } }]);
  });

  test("but a secret that is usable beside one that is not set judges as ever", async () => {
    expect((await answerWith(() => [unset, secret])).status).toBe(401);
    expect((await world.post()).status).toBe(202);
    expect((await world.history())[0]?.delivery?.secretId).toBe("#2");
  });

  test("and a source whose secrets are no function is refused when it is defined", async () => {
    const { defineSource } = await import("foothold/inbox");
    const secrets = "a secret" as unknown as () => string;
    expect(() => defineSource("shop", { preset: "hmac", owner: "shop", secrets, consumers: {} })).toThrow(
      "its secrets are not given by a function",
    );
  });
});
