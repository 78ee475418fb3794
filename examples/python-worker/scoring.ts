import { defineCase, defineDestination, elsewhere } from "foothold";
import { z } from "zod";

const models = defineDestination("models", {
  idempotency: { by: "key", window: "24h" },
  owners: { outage: "data-platform" },
});
const archive = defineDestination("archive", { idempotency: { by: "lookup" }, readLag: "1s" });

/** Its rules are here; its steps are run by scorer.py. */
export const scoring = defineCase("scoring", {
  version: 1,
  owner: "data-desk",
  input: z.object({ text: z.string() }),
})
  .step("score", {
    to: models,
    request: ({ input }) => ({ text: input.text }),
    run: elsewhere("python"),
    result: z.object({ score: z.number() }),
  })
  .step("file", {
    to: archive,
    request: ({ results }) => ({ score: results.score.score }),
    run: elsewhere("python"),
    check: elsewhere("python"),
    result: z.object({ id: z.string() }),
  })
  .result(({ results }) => results.score);

const publisher = defineDestination("publisher", { idempotency: { by: "key", window: "24h" } });

/** A case type of TypeScript, one step of which is done in Python. */
export const article = defineCase("article", {
  version: 1,
  owner: "data-desk",
  input: z.object({ text: z.string() }),
})
  .child("scored", { of: scoring, input: ({ input }) => ({ text: input.text }) })
  .step("publish", {
    to: publisher,
    request: ({ results }) => ({ score: results.scored.score }),
    run: ({ request }) => `published with ${request.score}`,
  });
