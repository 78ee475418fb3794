/** Addresses: which screen one leads to, and how to go there. Filters live in the query. */

import { useSyncExternalStore } from "react";
import { basePath } from "./base.ts";

/** Paths of screens that have no other name in their address. */
const screenPaths = [
  "problems",
  "destinations",
  "events",
  "bulk",
  "workers",
  "activity",
  "settings",
] as const;

type ScreenPath = (typeof screenPaths)[number];

/** A screen. */
type Route =
  | { readonly kind: "attention" }
  | { readonly kind: "cases" }
  | { readonly kind: "case"; readonly caseId: string }
  | { readonly kind: "event"; readonly eventId: string }
  | { readonly kind: "caseType"; readonly caseType: string }
  | { readonly kind: "schedule"; readonly schedule: string }
  | { readonly kind: "bulkAct"; readonly bulkId: string }
  | { readonly kind: ScreenPath }
  | { readonly kind: "nothing" };

/** Where the page is now. */
export interface Place {
  readonly route: Route;
  readonly query: URLSearchParams;
}

/** The screen at a path below the base. */
function routeOf(path: string): Route {
  const [first = "", second, ...rest] = path.split("/").filter((part) => part !== "");
  if (rest.length > 0) return { kind: "nothing" };
  if (first === "cases" && second !== undefined) return { kind: "case", caseId: decoded(second) };
  if (first === "events" && second !== undefined) return { kind: "event", eventId: decoded(second) };
  if (first === "schedules" && second !== undefined) return { kind: "schedule", schedule: decoded(second) };
  if (first === "types" && second !== undefined) return { kind: "caseType", caseType: decoded(second) };
  if (first === "bulk" && second !== undefined) return { kind: "bulkAct", bulkId: decoded(second) };
  if (second !== undefined) return { kind: "nothing" };
  if (first === "") return { kind: "attention" };
  if (first === "cases") return { kind: first };
  const screen = screenPaths.find((one) => one === first);
  return { kind: screen ?? "nothing" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a path below the base, such as `cases?type=purchase`. */
export function addressOf(path: string): string {
  return `${basePath}${path}`;
}

/** The path of a case's page. */
export function casePath(caseId: string): string {
  return `cases/${encodeURIComponent(caseId)}`;
}

/** The path of an event's page. */
export function eventPath(eventId: string): string {
  return `events/${encodeURIComponent(eventId)}`;
}

/** The path of the page of a case type. */
export function typePath(caseType: string): string {
  return `types/${encodeURIComponent(caseType)}`;
}

/** The path of a schedule's page. */
export function schedulePath(schedule: string): string {
  return `schedules/${encodeURIComponent(schedule)}`;
}

/** The path of a bulk act's page. */
export function bulkPath(bulkId: string): string {
  return `bulk/${encodeURIComponent(bulkId)}`;
}

/** The path of the list with these filters; what is empty is left out. */
export function listPath(filters: Filters): string {
  return pathWith("cases", filters);
}

/** Values of a query by name. */
type Filters = Readonly<Record<string, string | readonly string[] | null>>;

/** A path with these filters; what is empty is left out. */
export function pathWith(path: string, filters: Filters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    for (const one of value === null ? [] : [value].flat()) if (one !== "") query.append(name, one);
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

const listeners = new Set<() => void>();

/** Goes to a path below the base. */
export function goTo(path: string): void {
  history.pushState(null, "", addressOf(path));
  for (const listener of listeners) listener();
  scrollTo(0, 0);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

/** The present place; the component that reads it follows every change. */
export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => `${location.pathname}${location.search}`);
  const url = new URL(address, location.origin);
  const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : "";
  return { route: routeOf(path), query: url.searchParams };
}
