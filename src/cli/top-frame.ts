/** One frame of `foothold top`: lines for a width and a height. Pure; colors are for whoever prints it. */

import { cut, pad, tableLines, width } from "./table.ts";
import { oneLine, printable } from "./terminal.ts";
import { formatDistance, formatTime } from "./times.ts";
import { chosenIndex, type TopSnapshot, type TopView } from "./top-view.ts";

/** What a line is, for its color. */
type Tone = "plain" | "heading" | "alarm" | "chosen" | "quiet";

/** A line. */
export interface FrameLine {
  readonly text: string;
  readonly tone: Tone;
}

/** How much room there is; null = as much as is needed, for a file. */
export interface Room {
  readonly columns: number | null;
  readonly rows: number | null;
}

/** Lines of each part that are shown at most, beside its heading. */
const NOTICES_MAX = 3;
const STATES_MAX = 9;
const WORKERS_MAX = 5;
const DESTINATIONS_MAX = 4;
/** Lines that the list of cases has at least, where there are cases. */
const NEEDS_MIN = 3;

/** States in which only a person helps. */
const ALARMING: readonly string[] = ["Needs correction", "Needs access", "Needs review", "Worker lost"];

/** The frame: never more lines than there are rows, and none wider than the columns. */
export function frameOf(view: TopView, room: Room): readonly FrameLine[] {
  const lines = [...headOf(view), ...bodyOf(view, room)];
  const foot = room.rows === null ? [] : footOf(view);
  const cutLines = lines.map(({ text, tone }) => ({ text: cut(onOneLine(text), room.columns), tone }));
  if (room.rows === null) return cutLines;
  const above = Math.max(0, room.rows - foot.length);
  const shown = cutLines.slice(0, above);
  const empty = Array.from({ length: above - shown.length }, () => plain(""));
  return [
    ...shown,
    ...empty,
    ...foot.map(({ text, tone }) => ({ text: cut(text, room.columns), tone })),
  ].slice(-room.rows);
}

/** With what it is indented by. */
function onOneLine(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, " ")).trimEnd();
}

function headOf({ place, snapshot, gone, isPaused }: TopView): readonly FrameLine[] {
  const at = snapshot === null ? "" : `  ${formatTime(snapshot.overview.now)}`;
  const head = heading(`foothold top  ${place}${at}${isPaused ? "  [paused]" : ""}`);
  if (gone === null) return [head];
  const shown = snapshot === null ? "" : " What is below was read before.";
  return [
    head,
    alarm(`! No answer since ${formatTime(gone.sinceAt)}: ${gone.sentence}${shown} It is asked again.`),
  ];
}

function bodyOf(view: TopView, { columns, rows }: Room): readonly FrameLine[] {
  const { snapshot } = view;
  if (snapshot === null) return view.gone === null ? [quiet("Reading …")] : [];
  const before = [...noticesOf(snapshot), ...statesOf(snapshot, columns), ...sumsOf(snapshot)];
  const after = [...workersOf(snapshot, columns), ...destinationsOf(snapshot)];
  const taken = headOf(view).length + before.length + after.length + footOf(view).length;
  const left = rows === null ? null : Math.max(NEEDS_MIN, rows - taken - 1);
  return [...before, ...needsOf(view, snapshot, columns, left), ...after];
}

function noticesOf({ overview: { notices, schedules, undelivered } }: TopSnapshot): readonly FrameLine[] {
  const all = [
    ...notices.map(({ sentence }) => `${sentence}.`),
    ...schedules.map(({ schedule, sentence }) => `Schedule ${schedule}: ${sentence}.`),
    ...(undelivered === 0 ? [] : [`${undelivered} notices could not be delivered.`]),
  ];
  const more = all.length - NOTICES_MAX;
  return [...all.slice(0, NOTICES_MAX), ...(more > 0 ? [`${more} more of this kind.`] : [])].map((text) =>
    alarm(`! ${text}`),
  );
}

function statesOf({ history }: TopSnapshot, columns: number | null): readonly FrameLine[] {
  const { now, points, isWhole } = history;
  const last = points.at(-1)?.states ?? [];
  const [first] = points;
  const before = first === undefined || points.length < 2 ? null : first;
  if (last.length === 0) return [plain("No case is open.")];
  const since = before === null ? "" : `SINCE ${formatDistance(before.at, now).toUpperCase()}`;
  const names = ["OPEN CASES", isWhole ? "" : "AT LEAST", since, "OLDEST"];
  const sorted = last.toSorted((one, other) => other.cases - one.cases);
  const rows = sorted.map(({ reading, cases, oldestAt }) => {
    const known = before?.states.find((one) => one.reading === reading)?.cases ?? 0;
    return [
      reading,
      String(cases),
      before === null ? "" : sayChange(cases - known),
      formatDistance(oldestAt, now),
    ];
  });
  const [titles = "", ...lines] = tableLines(names, rows, columns);
  const more = sorted.length - STATES_MAX;
  return [
    heading(titles),
    ...lines
      .slice(0, STATES_MAX)
      .map((text, index) => (ALARMING.includes(sorted[index]?.reading ?? "") ? alarm(text) : plain(text))),
    ...(more > 0 ? [quiet(`and ${more} more states`)] : []),
  ];
}

function sayChange(by: number): string {
  if (by === 0) return "=";
  return by > 0 ? `+${by}` : String(by);
}

function sumsOf({ overview: { types, now }, work }: TopSnapshot): readonly FrameLine[] {
  const due = types.reduce((sum, type) => sum + type.due, 0);
  const oldest = types.flatMap(({ oldestDueAt }) => (oldestDueAt === null ? [] : [oldestDueAt]));
  const lag = oldest.length === 0 ? "" : `, the oldest since ${formatDistance(Math.min(...oldest), now)}`;
  const inbox = work === null ? [] : [`Events: ${sayWork(work)}`];
  return [plain([`Due for a worker: ${due}${lag}`, ...inbox].join("   "))];
}

function sayWork(work: NonNullable<TopSnapshot["work"]>): string {
  const sums = new Map<string, number>();
  for (const { state, count } of work) sums.set(state, (sums.get(state) ?? 0) + count);
  const said = [...sums].map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`);
  return said.length === 0 ? "none open" : said.join(", ");
}

function needsOf(
  view: TopView,
  { needs: { cases, next }, overview: { now } }: TopSnapshot,
  columns: number | null,
  room: number | null,
): readonly FrameLine[] {
  if (cases.length === 0) return [heading("NEEDS PEOPLE"), plain("Nothing waits for people.")];
  const count = next === null ? String(cases.length) : `${cases.length} or more`;
  const title = heading(`NEEDS PEOPLE (${count}, the longest first)`);
  const index = chosenIndex(view);
  const open = view.isOpen && room !== null ? openedOf(cases[index], columns, now) : [];
  const visible = room === null ? cases.length : Math.max(1, room - open.length);
  // The chosen one stays in sight.
  const from = Math.min(Math.max(0, index - visible + 1), Math.max(0, cases.length - visible));
  const seen = cases.slice(from, from + visible);
  const rows = seen.map(({ caseId, caseType, businessKey, reading, sinceAt }) => [
    caseId,
    caseType,
    businessKey ?? "-",
    reading.state,
    formatDistance(sinceAt, now),
    reading.actsNext,
    reading.sentence,
  ]);
  const [, ...lines] = tableLines(["", "", "", "", "", "", ""], rows, columns);
  const shown = lines.map((text, at): FrameLine => {
    const isChosen = room !== null && from + at === index;
    return {
      text: room === null ? text : `${isChosen ? ">" : " "} ${text}`,
      tone: isChosen ? "chosen" : "plain",
    };
  });
  return [title, ...shown.slice(0, index - from + 1), ...open, ...shown.slice(index - from + 1)];
}

function openedOf(
  one: TopSnapshot["needs"]["cases"][number] | undefined,
  columns: number | null,
  now: number,
): readonly FrameLine[] {
  if (one === undefined) return [];
  const { reading, holding, caseId } = one;
  const by =
    reading.byAt === null ? "" : `, by ${formatTime(reading.byAt)} (${formatDistance(reading.byAt, now)})`;
  const texts = [
    ...wrapped(reading.sentence, columns === null ? null : columns - 4),
    `Next: ${reading.actsNext}${by}.`,
    ...(holding === null ? [] : [`${holding.sentence}.`]),
    `All of it: foothold cases show ${caseId}`,
  ];
  return texts.map((text) => plain(`    ${text}`));
}

/** Lines of whole words. */
function wrapped(text: string, room: number | null): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (room !== null && line !== "" && width(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function workersOf({ workers }: TopSnapshot, columns: number | null): readonly FrameLine[] {
  if (workers === null) return [];
  const { now } = workers;
  const all = workers.workers.toSorted((one, other) => other.claims - one.claims);
  if (all.length === 0) return [heading("WORKERS"), alarm("No worker runs.")];
  const rows = all
    .slice(0, WORKERS_MAX)
    .map(({ name, kind, host, claims, beatAt, isAlive }) => [
      kind === "page" ? `${name} (page)` : name,
      claims === 1 ? "1 claim" : `${claims} claims`,
      isAlive ? `heard of ${formatDistance(beatAt, now)}` : `silent, heard of ${formatDistance(beatAt, now)}`,
      host,
    ]);
  const [, ...lines] = tableLines(["", "", "", ""], rows, columns);
  const more = all.length - WORKERS_MAX;
  return [
    heading(`WORKERS (${all.length})`),
    ...lines.map((text, index) => (all[index]?.isAlive === false ? alarm(text) : plain(text))),
    ...(more > 0 ? [quiet(`and ${more} more`)] : []),
  ];
}

function destinationsOf({ destinations }: TopSnapshot): readonly FrameLine[] {
  const held = (destinations ?? []).filter(({ heldBack, standing }) => heldBack > 0 || standing !== "up");
  if (held.length === 0) return [];
  const more = held.length - DESTINATIONS_MAX;
  return [
    heading("DESTINATIONS HELD BACK"),
    ...held
      .slice(0, DESTINATIONS_MAX)
      .map(({ destination, credentialId, heldBack, sentence }) =>
        alarm(`${destination} (${credentialId})  ${heldBack} wait  ${sentence}`),
      ),
    ...(more > 0 ? [quiet(`and ${more} more`)] : []),
  ];
}

function footOf({ isPaused, isOpen }: TopView): readonly FrameLine[] {
  const enter = isOpen ? "enter closes" : "enter shows what stands";
  return [quiet(`q quits   arrows choose   ${enter}   p ${isPaused ? "goes on" : "pauses"}`)];
}

const plain = (text: string): FrameLine => ({ text, tone: "plain" });
const heading = (text: string): FrameLine => ({ text, tone: "heading" });
const alarm = (text: string): FrameLine => ({ text, tone: "alarm" });
const quiet = (text: string): FrameLine => ({ text, tone: "quiet" });

/** The line as a terminal shows it; without colors as it is. */
export function painted({ text, tone }: FrameLine, columns: number, hasColor: boolean): string {
  if (!hasColor) return text;
  switch (tone) {
    case "plain":
      return text;
    case "heading":
      return `\u001b[1m${text}\u001b[0m`;
    case "alarm":
      return `\u001b[31m${text}\u001b[0m`;
    case "chosen":
      return `\u001b[7m${pad(text, columns)}\u001b[0m`;
    case "quiet":
      return `\u001b[2m${text}\u001b[0m`;
  }
}
