/** Who did something. */

import { z } from "zod";
import type { Actor } from "../../../core/journal.ts";
import { named, text } from "./schema.ts";

/** As the journal has it. */
export const actor: z.ZodType<Actor> = named<Actor>("Actor")(
  z.union([
    z.strictObject({ kind: z.literal("worker"), name: text, holderId: text }),
    z.strictObject({ kind: z.literal("person"), name: text, personId: z.string().exactOptional() }),
    z.strictObject({ kind: z.literal("engine"), name: text }),
  ]),
);
