// Whom it tells cannot be told: there is no such channel, and no such person.
import { defineCase, defineConfig } from "foothold";
import { z } from "zod";

const head = { version: 1, owner: "ops", input: z.object({}) };

export default defineConfig({
  cases: [defineCase("order", head).approval("approve", { by: "ops", expires: "3d" })],
  notices: { channels: {}, owners: { ops: { tell: ["fax"], people: ["eve"] } } },
});
