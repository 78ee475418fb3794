// A project that tells its owners, of whom one is missing.
import { defineCase, defineConfig } from "foothold";
import { z } from "zod";

const purchase = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: z.object({ vendor: z.string().min(1) }),
}).approval("approve", { by: "finance", expires: "3d" });

export default defineConfig({
  cases: [purchase],
  notices: {
    channels: {
      mail: { kind: "mail", from: "foothold@example.com", smtp: () => process.env["SMTP_URL"] },
    },
    owners: { finance: { tell: [{ by: "mail", to: "ben@example.com" }] } },
    consoleUrl: "https://foothold.example.com",
    gather: 0,
  },
});
