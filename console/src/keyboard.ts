/** Single keys: to screens, to the search, along rows. They never fire in fields, and can be switched off. */

import { goTo } from "./route.ts";
import { currentSettings } from "./settings.ts";

/** Every key and what it does, for the list that `?` opens. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["?", "this list"],
  ["/", "to the search"],
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
  ["u", "back"],
  ["Esc", "close what is open"],
];

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

/** Follows keys until the returned function is called. */
export function followKeys(openHelp: () => void): () => void {
  let wentAt = -Infinity;
  const onKey = (event: KeyboardEvent): void => {
    if (!currentSettings().hasKeys || isTyping(event)) return;
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

function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  const { target } = event;
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
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
      return false;
  }
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

function toRow(step: number): boolean {
  const links = rowLinks();
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at === -1 ? (step > 0 ? 0 : links.length - 1) : at + step];
  next?.focus();
  return next !== undefined;
}

function openRow(): boolean {
  const link = rowLinks().find((one) => one === document.activeElement);
  link?.click();
  return link !== undefined;
}
