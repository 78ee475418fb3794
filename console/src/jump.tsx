/** To any screen or case by typing a part of its name. */

import { useRef, useState, type JSX, type KeyboardEvent } from "react";
import { api } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { Link } from "./link.tsx";
import { usePolled } from "./polled.ts";
import { casePath, goTo, listPath } from "./route.ts";
import { Told } from "./told.tsx";

/** Cases that are offered at most. */
const CASES_MAX = 8;
/** What is typed is found anew with each letter; what was found stays true for a while, in ms. */
const READ_MS = 60_000;

/** A screen that can be gone to. */
interface JumpScreen {
  readonly path: string;
  readonly name: string;
}

/** What it offers before anything is typed. */
export interface JumpProps {
  readonly screens: readonly JumpScreen[];
  readonly onClose: () => void;
}

async function findCases(text: string, signal: AbortSignal): Promise<readonly JumpScreen[]> {
  if (text === "") return [];
  const { cases } = await api.listCases({ text, limit: CASES_MAX }, { signal });
  return cases.map(({ caseId, businessKey, reading }) => ({
    path: casePath(caseId),
    name: `${businessKey ?? caseId}: ${reading.state}`,
  }));
}

/** The dialog. Enter goes to the first that is offered, the arrows to the others. */
export function Jump({ screens, onClose }: JumpProps): JSX.Element {
  const [typed, setTyped] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const text = typed.trim();
  const found = usePolled(`jump ${text}`, (signal) => findCases(text, signal), { everyMs: READ_MS });
  const named = screens.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const list = text === "" ? [] : [{ path: listPath({ text }), name: `All cases with “${text}”` }];
  const offered = [...named, ...(found.data ?? []), ...list];
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const stops = [...(form.current?.querySelectorAll<HTMLElement>("input, a") ?? [])];
    const at = stops.findIndex((one) => one === document.activeElement);
    if (step === 0 || at === -1) return;
    event.preventDefault();
    stops[at + step]?.focus();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        ref={form}
        className="act"
        onKeyDown={move}
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = offered;
          if (first === undefined) return;
          onClose();
          goTo(first.path);
        }}
      >
        <label>
          Screen, business key or case id
          <input
            type="search"
            autoComplete="off"
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <ul className="jump">
          {offered.map(({ path, name }) => (
            <li key={path}>
              <Link to={path} onFollow={onClose}>
                <Told text={name} />
              </Link>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}
