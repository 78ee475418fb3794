/** Times for people: how long ago or how soon, with the exact time in the viewer's zone at hand. */

import { useSyncExternalStore, type JSX } from "react";
import { useSettings } from "./settings.ts";

/** How often relative times are written anew, in ms. */
const TICK_MS = 5_000;

let skewMs = 0;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The server's clock is what times are counted from; its answers tell how far this machine's is off. */
export function noteServerTime(serverNow: number): void {
  const measured = serverNow - Date.now();
  // A second or two is the way that the answer took.
  if (Math.abs(measured - skewMs) > 2_000) skewMs = measured;
  tick();
}

function tick(): void {
  now = Date.now();
  for (const one of listeners) one();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The server's time now, to a few seconds. */
function useNow(): number {
  return useSyncExternalStore(subscribe, () => now) + skewMs;
}

const exactly = {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
} as const;
const formats = {
  local: new Intl.DateTimeFormat(undefined, exactly),
  utc: new Intl.DateTimeFormat(undefined, { ...exactly, timeZone: "UTC" }),
};

const shortly = {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;
const shortFormats = {
  local: new Intl.DateTimeFormat(undefined, shortly),
  utc: new Intl.DateTimeFormat(undefined, { ...shortly, timeZone: "UTC" }),
};

/** The exact time in the zone that the viewer chose. */
function useExact(at: number): string {
  const { zone } = useSettings();
  return formats[zone].format(at);
}

/** The zone of this browser. */
export function ownZone(): string {
  return formats.local.resolvedOptions().timeZone;
}

/** A length of time in its largest unit: "12 s", "5 min", "3 h", "4 d". */
export function sayLength(lengthMs: number): string {
  const seconds = Math.round(lengthMs / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** How long ago or how soon. */
function sayDistance(at: number, from: number): string {
  const distance = at - from;
  if (Math.abs(distance) < TICK_MS) return "now";
  return distance < 0 ? `${sayLength(-distance)} ago` : `in ${sayLength(distance)}`;
}

/** What a time is shown as. */
export interface WhenProps {
  readonly at: number;
  /** True = the exact time stands beside it; else it is in the title. */
  readonly isExact?: boolean;
}

/** A time. */
export function When({ at, isExact = false }: WhenProps): JSX.Element {
  const from = useNow();
  const exact = useExact(at);
  return (
    <time dateTime={new Date(at).toISOString()} title={exact}>
      {sayDistance(at, from)}
      {isExact ? <span className="soft"> ({exact})</span> : null}
    </time>
  );
}

/** A time within a sentence: to the second, with its year and zone in the title. */
export function Moment({ at }: { readonly at: number }): JSX.Element {
  const { zone } = useSettings();
  return (
    <time dateTime={new Date(at).toISOString()} title={formats[zone].format(at)}>
      {shortFormats[zone].format(at)}
    </time>
  );
}

/** A time exactly, where many stand below each other. */
export function Exact({ at }: { readonly at: number }): JSX.Element {
  return <time dateTime={new Date(at).toISOString()}>{useExact(at)}</time>;
}

/** How long something stands as it does, and since when. */
export function Since({ at }: { readonly at: number }): JSX.Element {
  const from = useNow();
  const exact = useExact(at);
  return (
    <>
      For {sayLength(Math.max(0, from - at))}, since{" "}
      <time dateTime={new Date(at).toISOString()}>{exact}</time>
    </>
  );
}

/** A time by when something is due; what is over says so, and within a sentence (`isSaid`) what is not over too. */
export function By({ at, isSaid = false }: { readonly at: number; readonly isSaid?: boolean }): JSX.Element {
  const from = useNow();
  return (
    <span className={at < from ? "overdue" : undefined}>
      {at < from || isSaid ? "due " : ""}
      <When at={at} />
    </span>
  );
}
