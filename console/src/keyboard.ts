/** Single keys: to screens, to the search, along rows. They never fire in fields, and can be switched off. */

import { pageKey } from "./page-keys.ts";
import { goTo } from "./route.ts";
import { currentSettings } from "./settings.ts";

/** Every key and what it does, for the list that `?` opens. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["?", "this list"],
  ["/", "to the search"],
  ["Ctrl-K, ⌘-K", "to any screen or case, by a part of its name"],
  ["g then a", "Needs attention"],
  ["g then c", "Cases"],
  ["g then p", "Problems"],
  ["g then d", "Destinations and access"],
  ["g then e", "Incoming events"],
  ["g then b", "Bulk acts"],
  ["g then w", "Workers and claims"],
  ["g then v", "Activity"],
  ["g then s", "Settings"],
  ["j, k", "next row, row before"],
  ["Enter, o", "open the row"],
  ["x", "select the row, or let it go"],
  ["Shift-x", "select up to the row"],
  ["a", "assign the row, or the case, to me"],
  ["n", "note on the case"],
  ["p", "what a resume of the case would do, before it is made"],
  ["u", "back"],
  ["Esc", "close what is open"],
];

const TYPED_IN = 'input:not([type="checkbox"]), select, textarea, [contenteditable]';
/** How long after `g` the second key counts, in ms. */
const SECOND_KEY_MS = 1_500;

const screens: Readonly<Record<string, string>> = {
  a: "",
  n: "",
  c: "cases",
  p: "problems",
  e: "events",
  b: "bulk",
  d: "destinations",
  w: "workers",
  v: "activity",
  s: "settings",
};

/** What opens over any screen. */
export interface Openings {
  readonly openHelp: () => void;
  readonly openJump: () => void;
}

/** Follows keys until the returned function is called. */
export function followKeys({ openHelp, openJump }: Openings): () => void {
  let wentAt = -Infinity;
  const onKey = (event: KeyboardEvent): void => {
    if (isTaken(event)) return;
    if (isJump(event)) {
      event.preventDefault();
      openJump();
      return;
    }
    if (!currentSettings().hasKeys || event.ctrlKey || event.metaKey || event.altKey) return;
    const isSecond = event.timeStamp - wentAt < SECOND_KEY_MS;
    wentAt = event.key === "g" ? event.timeStamp : -Infinity;
    const screen = isSecond ? screens[event.key] : undefined;
    if (screen !== undefined) goTo(screen);
    else if (!act(event.key, openHelp)) return;
    event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function isJump({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key === "k" && ctrlKey !== metaKey && !altKey && !shiftKey;
}

/** True while somebody types, or a dialog has the keys. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  const { target } = event;
  return target instanceof Element && target.closest(TYPED_IN) !== null;
}

/** True if the key did something. */
function act(key: string, openHelp: () => void): boolean {
  switch (key) {
    case "?":
      openHelp();
      return true;
    case "/":
      return toSearch();
    case "u":
      history.back();
      return true;
    case "j":
      return toRow(1);
    case "k":
      return toRow(-1);
    case "o":
      return openRow();
    default:
      return onPage(key);
  }
}

function onPage(key: string): boolean {
  const press = pageKey(key);
  press?.();
  return press !== null;
}

function toSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null) goTo("cases");
  else field.select();
  return true;
}

function rowLinks(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-row] .case-link")];
}

function isInFocusedRow(link: HTMLElement): boolean {
  return link.closest("[data-row]")?.contains(document.activeElement) === true;
}

function toRow(step: number): boolean {
  const links = rowLinks();
  const at = links.findIndex(isInFocusedRow);
  const next = links[at === -1 ? (step > 0 ? 0 : links.length - 1) : at + step];
  next?.focus();
  return next !== undefined;
}

function openRow(): boolean {
  const link = rowLinks().find(isInFocusedRow);
  link?.click();
  return link !== undefined;
}
