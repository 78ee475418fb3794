/** Keys of what is shown now: each screen says what they do there. */

import { useEffect, useRef } from "react";

/** What keys do, by the letter that they give. */
export type PageKeys = Readonly<Record<string, () => void>>;

const shown = new Set<() => PageKeys>();

/** What a key does on this page; null = nothing. */
export function pageKey(key: string): (() => void) | null {
  for (const keys of shown) {
    const act = new Map(Object.entries(keys())).get(key);
    if (act !== undefined) return act;
  }
  return null;
}

/** Lets keys act as long as the component is shown. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const read = (): PageKeys => latest.current;
    shown.add(read);
    return () => void shown.delete(read);
  }, []);
}
