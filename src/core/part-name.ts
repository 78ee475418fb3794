/** The names of the steps that an `each` has, one for every key. */

/** The name of the step of one key. No author can give it: their names have no brackets. */
export function partName(step: string, key: string): string {
  return `${step}[${key}]`;
}

/** A name taken apart; null for a name without a key. */
export function readPartName(
  name: string,
): { readonly step: string; readonly key: string; readonly rest: string } | null {
  const [, step, key, rest] = /^([^[\]]+)\[([^[\]]*)\](.*)$/.exec(name) ?? [];
  return step === undefined || key === undefined || rest === undefined ? null : { step, key, rest };
}

/** The name of a step, or of its undo, as the definition has it: without the key. */
export function nameWithoutKey(name: string): string {
  const part = readPartName(name);
  return part === null ? name : `${part.step}${part.rest}`;
}

/** True for a step that follows `name`, directly or through others; what follows an `each` follows all of its keys. */
export function isAfter({ closure }: { readonly closure: readonly string[] }, name: string): boolean {
  const part = readPartName(name);
  return closure.includes(name) || (part !== null && closure.includes(part.step));
}
