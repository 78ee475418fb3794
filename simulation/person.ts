/** What people do to a case without a page of their own. */

import type { Desk } from "../src/desk/desk.ts";
import { correctedInput } from "./case-type.ts";
import type { FaultCounts } from "./faults.ts";
import type { SeededRandom } from "./random.ts";

/** One such act. */
export type PersonAct = "approve" | "correct" | "resume" | "cancel";

/** What it is done to, and by which desk. */
export interface ActingOn {
  readonly desk: Desk;
  readonly caseId: string;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
}

/** Does it once. Rejects as the desk does. */
export async function actOnce(act: PersonAct, { desk, caseId, random, counts }: ActingOn): Promise<void> {
  switch (act) {
    case "approve":
      await desk.answerApproval(caseId, {
        step: "step1",
        approved: random.chance(0.9),
        by: "finance",
      });
      return;
    case "resume":
      await desk.resume(caseId, { by: "ops" });
      counts.hit("resume");
      return;
    case "cancel":
      await desk.cancel(caseId, { by: "ops" });
      counts.hit("cancel");
      return;
    case "correct":
      await desk.correctInput(caseId, {
        input: correctedInput(random),
        by: "ops",
        reason: "it was wrong",
      });
      counts.hit("correction");
  }
}
