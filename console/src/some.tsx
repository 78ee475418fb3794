/** Long lists: the first lines at once, the others when somebody asks for them. */

import { useState, type JSX } from "react";
import { count } from "./words.tsx";

/** What is shown of a list. */
export interface Some<T> {
  readonly shown: readonly T[];
  /** The button that shows the others; null where there are none. */
  readonly more: JSX.Element | null;
}

/** How much is shown at first, and what one line and several are called. */
interface SomeOptions {
  readonly most: number;
  readonly name: string;
  readonly names?: string;
}

/** Shows the first `most` of the lines, and all of them once asked. */
export function useSome<T>(lines: readonly T[], { most, name, names = `${name}s` }: SomeOptions): Some<T> {
  const [isWhole, setWhole] = useState(false);
  // One or two more are not worth a press.
  if (isWhole || lines.length <= most + 2) return { shown: lines, more: null };
  const more = (
    <button type="button" className="quiet" onClick={() => setWhole(true)}>
      Show {count(lines.length - most, `more ${name}`, `more ${names}`)}
    </button>
  );
  return { shown: lines.slice(0, most), more };
}
