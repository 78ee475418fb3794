import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination, type Idempotency } from "../../src/define/destination.ts";
import { input, post } from "../engine/steps.ts";

const idempotency = {
  key: { by: "key", window: "24h" },
  none: { by: "none" },
} as const satisfies Record<string, Idempotency>;

/** What the destination of a case type can do. */
export type Repeat = keyof typeof idempotency;

/** Three steps, `first`, `second` and `third`, each a POST to `/NAME/STEP` of the test destination. */
export function threeSteps(url: string, name: string, repeat: Repeat): CaseType {
  const to = defineDestination(repeat, {
    idempotency: idempotency[repeat],
    retry: { maxAttempts: 10, firstDelay: "50ms", maxDelay: "200ms" },
  });
  const step = (path: string) => ({ to, run: post({ url }, `/${name}/${path}`), deadline: "20s" }) as const;
  return defineCase(name, { version: 1, owner: "ops", input })
    .step("first", step("first"))
    .step("second", step("second"))
    .step("third", step("third"));
}
