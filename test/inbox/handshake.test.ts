import { afterEach, describe, expect, test } from "vitest";
import { openWorld, shopSource, type World } from "./world.ts";

describe("the handshake of CloudEvents over HTTP", () => {
  let world: World;
  afterEach(() => world.close());

  const ask = (source: string, origin: string | null): Promise<Response> =>
    fetch(`${world.url}/inbox/${source}`, {
      method: "OPTIONS",
      headers: origin === null ? {} : { "webhook-request-origin": origin },
    });

  test("tells whoever asks properly that it may post, and nobody else", async () => {
    world = await openWorld({
      hasWorkers: false,
      sources: (order) => [
        ["events", shopSource(order, { preset: "cloudevents" })],
        ["shop", shopSource(order)],
      ],
    });
    const allowed = await ask("events", "sender.example.com");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("webhook-allowed-origin")).toBe("sender.example.com");
    expect(allowed.headers.get("webhook-allowed-rate")).toBe("*");
    expect((await ask("events", null)).status).toBe(400);
    // Nothing that could be echoed into a header or a page.
    expect((await ask("events", "<script>")).status).toBe(400);
    expect((await ask("events", "a".repeat(300))).status).toBe(400);
    // Of another provider it is no question.
    expect((await ask("shop", "sender.example.com")).status).toBe(405);
  });
});
