import { expect, test } from "vitest";
import { declarationsOf } from "./type-check.ts";

/** One of everything that a case type's type may name. */
const text = `
import { defineCase, defineDestination } from "foothold";
import { z } from "zod";

export const mail = defineDestination("mail", { idempotency: { by: "none" } });

export const greeting = defineCase("greeting", { version: 1, owner: "desk", input: z.object({ to: z.string() }) })
  .approval("approve", { by: "desk" })
  .step("send", { to: mail, run: () => new Map([["at", new Date()]]) })
  .step("confirm", { to: mail, run: (): unknown => JSON.parse("1") })
  .sleep("rest", { for: "1h" });

export const eager = defineCase("eager", {
  version: 1,
  owner: "desk",
  input: z.unknown(),
  events: { paid: z.date() },
}).waitForEvent("wait", { event: "paid", timeout: "3d" });
`;

test(
  "the declarations of a package that exports case types name nothing but what foothold exports",
  { timeout: 120_000 },
  () => {
    const declarations = declarationsOf({ origin: "greeting.ts", lineBefore: 0, text });
    const named = [...declarations.matchAll(/import\("([^"]+)"\)\.(\w+)/g)].map(
      ([, from, name]) => `${from} ${name}`,
    );
    expect([...new Set(named)].toSorted()).toEqual([
      "foothold Approved",
      "foothold CaseDefinition",
      "foothold CasePartsOf",
      "foothold Destination",
      "foothold Json",
      "foothold NoEvents",
      "foothold NoFields",
      "foothold NoSteps",
      "foothold WithStep",
    ]);
  },
);
