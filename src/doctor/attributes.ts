/** What can be said of search attributes from their declarations, and from cases that started lately. Pure. */

import type { CaseState } from "../core/case-state.ts";
import type { CaseOutline } from "../core/outline.ts";
import { searchValuesOf } from "../core/search-values.ts";
import { finding, type Finding } from "./finding.ts";

/** Findings about declarations alone: one name with two types. */
export function examineAttributes(outlines: readonly CaseOutline[]): readonly Finding[] {
  const all = outlines.flatMap(({ name: caseType, search }) =>
    (search?.attributes ?? []).map(({ name, type }) => ({ caseType, name, type })),
  );
  return [...new Set(all.map(({ name }) => name))].flatMap((name) => {
    const [first, ...others] = all.filter((one) => one.name === name);
    const other = others.find(({ type }) => type !== first?.type);
    if (first === undefined || other === undefined) return [];
    const sentence =
      `The attribute ${name} is ${first.type} in ${first.caseType} and ${other.type} in ${other.caseType}: ` +
      `nobody can look for it in both at once.`;
    return [
      finding(
        "ATTRIBUTE_TYPES",
        { caseType: other.caseType },
        { sentence, remedy: "one type, or two names" },
      ),
    ];
  });
}

/** Findings about attributes of the input that none of the cases seen has a value of. */
export function examineFound(
  outlines: readonly CaseOutline[],
  states: readonly CaseState[],
): readonly Finding[] {
  return outlines.flatMap(({ name: caseType, version, search }) => {
    const seen = states.filter((state) => state.caseType === caseType);
    const found = new Set(seen.flatMap(searchValuesOf).map(({ name }) => name));
    const empty = (search?.attributes ?? []).filter(({ step, name }) => step === null && !found.has(name));
    if (seen.length === 0) return [];
    const isOld = seen.every((state) => state.definitionVersion < version);
    return empty.map(({ name, path, type }) => {
      const sentence =
        `Of the newest ${seen.length} cases of this type none can be found by ${name}: ` +
        `none has a ${type} at ${path.join(".")} of its input, or their version did not declare it.`;
      const remedy = isOld
        ? "nothing, once cases start with this version"
        : "the path, the type, a higher `version`";
      return finding("ATTRIBUTE_EMPTY", { caseType }, { sentence, remedy });
    });
  });
}
