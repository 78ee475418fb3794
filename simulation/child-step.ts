/** The functions of a simulated step that starts another case: what its definition gives the engine. */

import { isJsonObject, type Json } from "../src/core/json.ts";
import type { SendStepOutline } from "../src/core/outline.ts";
import type { SeenFailure } from "../src/core/seen-failure.ts";
import type { Facts, RuntimeSendStep } from "../src/define/case-type.ts";
import { childCallsIn } from "../src/define/child-calls.ts";
import { sortOwn } from "../src/define/read-child.ts";
import { contentOf } from "./send-step.ts";

/** Binds a step that starts a case. `when` and `requires` are left to the caller. */
export function bindChild(outline: SendStepOutline): RuntimeSendStep {
  const common = {
    kind: "step",
    when: [],
    requires: [],
    before: [],
    check: null,
    sorters: [(seen: SeenFailure) => sortOwn(seen)],
    isHttpAlone: false,
    result: null,
  } as const;
  const undo: RuntimeSendStep | null =
    outline.undo === null
      ? null
      : {
          ...common,
          outline: outline.undo,
          request: null,
          run: (given) => childCallsIn(given).cancel(),
          undo: null,
        };
  return {
    ...common,
    outline,
    request: (facts) => childInput(outline, facts),
    run: (given) => childCallsIn(given).start(given.request ?? null),
    undo,
  };
}

/** What a case is started with: what other steps ask for, as fields of an input. */
export function childInput(outline: SendStepOutline, facts: Pick<Facts, "input" | "results">): Json {
  const { input, ...about } = contentOf(outline, facts);
  return { ...(input !== undefined && isJsonObject(input) ? input : {}), ...about };
}
