/** What a case type declares that its cases can be found by. */

import type { MaskedPath } from "./masked-values.ts";

/** What the values of an attribute are. */
export type AttributeType = "text" | "number" | "time" | "boolean";

/** Where a value is: names of fields within the input, or within the result of a step. */
export type ValuePath = readonly string[];

/** An attribute as a case type declares it. */
export interface AttributeOutline {
  readonly name: string;
  readonly type: AttributeType;
  /** Whose result the value is in; null = it is in the input. */
  readonly step: string | null;
  readonly path: ValuePath;
}

/** What a case type declares. */
export interface SearchOutline {
  readonly attributes: readonly AttributeOutline[];
  /** Of the input: each a text, or a list of them. */
  readonly tags: readonly ValuePath[];
  /** What people see as a mark: a value that repeats it elsewhere is none to be found by. */
  readonly masked: {
    readonly input: readonly MaskedPath[];
    readonly results: { readonly [step: string]: readonly MaskedPath[] };
  };
}

/** What tags are asked for by; no attribute is called so. */
export const TAG = "tag";
/** Attributes of one case type. */
export const ATTRIBUTES_MAX = 20;
/** Places of tags that one case type declares. */
export const TAG_PATHS_MAX = 10;

/** True where a value at the path, or an item of a list there, may be masked, or stand within what is. */
export function mayBeMasked(path: ValuePath, masked: readonly MaskedPath[]): boolean {
  let paths = withoutRest(masked);
  for (const name of path) {
    if (paths.some((one) => one.length === 0)) return true;
    paths = withoutRest(
      paths.flatMap((one) => {
        const [head] = one;
        if (head === "**") return [one];
        return head === "*" || head === name ? [one.slice(1)] : [];
      }),
    );
  }
  return paths.some((one) => one.every((head) => head === "*" || head === "**" || /^\d+$/.test(head)));
}

/** `**` may stand for nothing. */
function withoutRest(paths: readonly MaskedPath[]): readonly MaskedPath[] {
  return paths.flatMap((path) => (path[0] === "**" ? [path, ...withoutRest([path.slice(1)])] : [path]));
}
