import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes minutes. Begun last, it would leave one of two workers idle for as long. */
const LONGEST = [/\/simulation\/bites\./, /\/test\/console\//, /\/test\/docs\//, /\/test\/inbox\/storm\//];

/** The files that take longest come first; all others as they would without this. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this one is a sequencer's own, and no array's
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((pattern) => pattern.test(moduleId));
  return place < 0 ? LONGEST.length : place;
}
