// A build that has lost one of the case types.
import { defineCase, defineConfig } from "foothold";
import { z } from "zod";

export default defineConfig({
  cases: [defineCase("nap", { version: 1, owner: "ops", input: z.unknown() }).sleep("rest", { for: "1h" })],
});
