/** Builds of one case type as data: each is made of the one before by a change that a seed draws. */

import { z } from "zod";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination } from "../../src/define/destination.ts";
import type { SeededRandom } from "../../examples/services/seeded-random.ts";
import { input, look, post } from "../engine/steps.ts";

/** How long each send takes, so that cases are under way when the code changes. */
const SEND_MS = 100;

/** A step of a build. */
interface BuiltStep {
  /** What it does, whatever it is called. */
  readonly does: string;
  readonly name: string;
  /** All names that it had. */
  readonly formerly: readonly string[];
}

/** What a build has as its case type. */
export interface Build {
  readonly name: string;
  readonly version: number;
  readonly steps: readonly BuiltStep[];
  readonly removed: readonly string[];
  /** The step that was given another name without a word about it. */
  readonly forgot: string | null;
}

/** What may be changed. */
export const CHANGES = ["rename", "forget", "add", "remove", "reorder"] as const;
/** One of {@link CHANGES}. */
export type Change = (typeof CHANGES)[number];

/** The build that the cases are started with. */
export const FIRST_BUILD: Build = {
  name: "build-0",
  version: 1,
  steps: ["reserve", "record", "order", "pay", "tell"].map((does) => ({ does, name: does, formerly: [] })),
  removed: [],
  forgot: null,
};

/** A later build. Only a rename leaves the version as it is: everything else must not meet the code before. */
export function nextBuild(before: Build, change: Change, random: SeededRandom): Build {
  const number = Number(before.name.slice("build-".length)) + 1;
  const build: Build = {
    ...before,
    name: `build-${number}`,
    version: change === "rename" && before.forgot === null ? before.version : before.version + 1,
    forgot: null,
  };
  const { steps } = before;
  const at = random.under(steps.length);
  const picked = steps[at];
  if (picked === undefined) throw new Error("a build has steps");
  switch (change) {
    case "rename":
    case "forget": {
      const name = `${picked.does}${number}`;
      const renamed = { ...picked, name, formerly: [picked.name, ...picked.formerly] };
      return { ...build, steps: steps.with(at, renamed), forgot: change === "forget" ? picked.does : null };
    }
    case "add": {
      const does = `extra${number}`;
      return { ...build, steps: steps.toSpliced(at, 0, { does, name: does, formerly: [] }) };
    }
    case "remove":
      return {
        ...build,
        steps: steps.toSpliced(at, 1),
        removed: [...build.removed, picked.name, ...picked.formerly],
      };
    case "reorder": {
      const to = (at + 1 + random.under(steps.length - 1)) % steps.length;
      return { ...build, steps: steps.toSpliced(at, 1).toSpliced(to, 0, picked) };
    }
  }
}

/** The case type of a build: every step is an effect at `/DOES/N` of the destination, N being the case's own number. */
export function caseTypeOf({ version, steps, removed, forgot }: Build, url: string): CaseType {
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    retry: { firstDelay: "50ms" },
    inFlight: { start: 100, max: 100 },
  });
  const started = defineCase("living", { version, owner: "ops", input, removed });
  const at = { url };
  const whole = steps.reduce<unknown>((type, { does, name, formerly }) => {
    // Names known only at run time have no place in the types; the reading of the definition checks them.
    const builder = type as typeof started;
    return builder.step(name, {
      to: erp,
      formerly: does === forgot ? [] : formerly,
      onLapse: "recheck",
      request: ({ input: given }) => ({ does, n: given["n"] ?? null }),
      run: async (context) => {
        await new Promise((resolve) => setTimeout(resolve, SEND_MS));
        return post(at, `/${does}/${z.number().parse(context.input["n"])}`)(context);
      },
      check: (context) => look(at)(context),
    });
  }, started);
  return whole as CaseType;
}
