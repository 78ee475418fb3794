/** The `notices` of a configuration, checked and read. */

import type { FieldFault } from "../core/errors.ts";
import type { NoticeRules } from "../core/notices.ts";
import type { RetryPolicy } from "../core/outline.ts";
import { describeValue } from "./describe-value.ts";
import { readRetry } from "./destination.ts";
import { nameFault } from "./names.ts";
import type { ChannelOptions, RotaContext } from "./notices.ts";
import { isLabel, OptionReader, type AuthorFunction } from "./option-reader.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** People of one team, and places where one owner is told. */
const MEMBERS_MAX = 50;
/** Where PagerDuty takes events. */
const PAGER_DUTY_URL = "https://events.pagerduty.com/v2/enqueue";

/** Gives a secret or an address when it is needed; what it gives is not known before. */
export type Told = () => unknown;

/** A channel as it is set. */
export interface ChannelSetup {
  readonly name: string;
  readonly retry: RetryPolicy;
  readonly tellsOver: boolean;
  readonly allowPrivate: boolean;
  readonly way:
    | { readonly kind: "mail"; readonly from: string; readonly smtp: Told }
    | { readonly kind: "slack" | "teams"; readonly url: Told }
    | { readonly kind: "pagerDuty"; readonly url: Told; readonly routingKey: Told }
    | { readonly kind: "webhook"; readonly url: Told; readonly secret: Told };
}

/** A place where an owner is told. */
export interface TellSetup {
  readonly channel: string;
  /** An address; null where the channel has one place only. */
  readonly to: string | null;
}

/** An owner as it is set. */
export type OwnerSetup =
  | { readonly kind: "people"; readonly people: readonly string[]; readonly tell: readonly TellSetup[] }
  | {
      readonly kind: "rota";
      readonly ask: (context: RotaContext) => unknown;
      readonly deadlineMs: number;
      readonly fallback: string;
    };

/** Who owners are, how they are told, and when. */
export interface NoticeBook {
  readonly channels: ReadonlyMap<string, ChannelSetup>;
  readonly owners: ReadonlyMap<string, OwnerSetup>;
  readonly otherwise: string | null;
  readonly consoleUrl: string | null;
  readonly rules: NoticeRules;
  readonly dueAfterMs: number;
}

/** Reads `notices`, whoever wrote them; `faults` says what is wrong, and then the book must not be used. */
export function readNoticeBook(options: unknown): {
  readonly book: NoticeBook;
  readonly faults: readonly FieldFault[];
} {
  const faults: FieldFault[] = [];
  const reader = new OptionReader(
    options,
    "notices",
    ["channels", "owners", "otherwise", "consoleUrl", "gather", "again", "overdueAfter", "growth"],
    faults,
  );
  const channels = readEach(reader, "channels", readChannel);
  const owners = readEach(reader, "owners", (one) => readOwner(one, channels));
  const otherwise = reader.optionalText("otherwise", "who is told where nobody answers to a name");
  checkNames(reader, { owners, otherwise });
  const book = {
    channels,
    owners,
    otherwise,
    consoleUrl: readConsoleUrl(reader),
    rules: {
      gatherMs: reader.duration("gather", { defaultMs: 30_000, minMs: 0, maxMs: DAY_MS }),
      againMs: reader.duration("again", { defaultMs: 60 * MINUTE_MS, minMs: MINUTE_MS }),
      growth:
        reader.value("growth") === undefined
          ? null
          : reader.count("growth", { default: null, min: 2, max: 1_000 }),
    },
    dueAfterMs: reader.duration("overdueAfter", { defaultMs: DAY_MS, minMs: MINUTE_MS }),
  };
  return { book, faults };
}

/** What stands under each name of an option. */
function readEach<T>(
  reader: OptionReader,
  name: string,
  read: (one: { readonly name: string; readonly at: OptionReader; readonly value: unknown }) => T | null,
): ReadonlyMap<string, T> {
  const given = reader.value(name) ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    reader.fault(name, `give an object by names, not ${describeValue(given)}`);
    return new Map();
  }
  return new Map(
    Object.entries(given).flatMap(([each, value]: [string, unknown]): readonly [string, T][] => {
      const one = read({ name: each, at: reader.inside(name, {}, []), value });
      return one === null ? [] : [[each, one]];
    }),
  );
}

interface Entry {
  readonly name: string;
  /** Where it stands. */
  readonly at: OptionReader;
  readonly value: unknown;
}

const CHANNEL_OPTIONS: Readonly<Record<ChannelOptions["kind"], readonly string[]>> = {
  mail: ["from", "smtp"],
  slack: ["url", "allowPrivate"],
  teams: ["url", "allowPrivate"],
  pagerDuty: ["url", "routingKey", "allowPrivate"],
  webhook: ["url", "secret", "allowPrivate"],
};

function isKind(kind: unknown): kind is ChannelOptions["kind"] {
  return typeof kind === "string" && Object.hasOwn(CHANNEL_OPTIONS, kind);
}

function readChannel({ name, at, value }: Entry): ChannelSetup | null {
  const wrongName = nameFault(name);
  if (wrongName !== null) at.fault(name, wrongName);
  const kind: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "kind") : undefined;
  if (!isKind(kind)) {
    at.fault(name, `give a kind: one of ${Object.keys(CHANNEL_OPTIONS).join(", ")}`);
    return null;
  }
  const reader = at.inside(name, value, ["kind", "retry", "tellsOver", ...CHANNEL_OPTIONS[kind]]);
  return {
    name,
    retry: readRetry(reader, { maxAttempts: 8 }),
    tellsOver: readFlag(reader, "tellsOver", kind === "pagerDuty" || kind === "webhook"),
    allowPrivate: kind !== "mail" && readFlag(reader, "allowPrivate", false),
    way: readWay(reader, kind),
  };
}

function readWay(reader: OptionReader, kind: ChannelOptions["kind"]): ChannelSetup["way"] {
  switch (kind) {
    case "mail":
      return {
        kind,
        from: reader.text("from", "from whom mails come"),
        smtp: readTold(reader, "smtp", "the address of the mail server"),
      };
    case "slack":
    case "teams":
      return { kind, url: readTold(reader, "url", "the address of the webhook") };
    case "pagerDuty":
      return {
        kind,
        url:
          reader.value("url") === undefined ? () => PAGER_DUTY_URL : readTold(reader, "url", "its address"),
        routingKey: readTold(reader, "routingKey", "the routing key"),
      };
    case "webhook":
      return {
        kind,
        url: readTold(reader, "url", "the address"),
        secret: readTold(reader, "secret", "the secret that requests are signed with"),
      };
  }
}

function readTold(reader: OptionReader, name: string, what: string): Told {
  const told: AuthorFunction | null = reader.requiredFunction(name, `gives ${what}, and is asked each time`);
  return () => told?.(undefined);
}

function readFlag(reader: OptionReader, name: string, otherwise: boolean): boolean {
  const value = reader.value(name) ?? otherwise;
  if (typeof value === "boolean") return value;
  reader.fault(name, "must be true or false");
  return otherwise;
}

function readOwner(
  { name, at, value }: Entry,
  channels: ReadonlyMap<string, ChannelSetup>,
): OwnerSetup | null {
  if (!isLabel(name)) at.fault(name, `${JSON.stringify(name.slice(0, 60))} is no name of an owner`);
  const isRota = typeof value === "object" && value !== null && "rota" in value;
  if (isRota) {
    const reader = at.inside(name, value, ["rota", "deadline", "fallback"]);
    const ask = reader.requiredFunction("rota", "names whoever is on duty");
    const deadlineMs = reader.duration("deadline", { defaultMs: 5_000, minMs: 1, maxMs: 30_000 });
    const fallback = reader.text("fallback", "who is told where the rota names nobody");
    return { kind: "rota", ask: (context) => ask?.(context), deadlineMs, fallback };
  }
  const reader = at.inside(name, value, ["people", "tell"]);
  const people = reader.optionalNames("people") ?? [];
  const tell = readTell(reader, channels);
  if (people.length + tell.length === 0) {
    reader.fault("", "say where it is told (tell), who its people are (people), or who knows (rota)");
  }
  if (people.length + tell.length > MEMBERS_MAX) {
    reader.fault("", `has more than ${MEMBERS_MAX} people and places`);
  }
  return { kind: "people", people, tell };
}

function readTell(reader: OptionReader, channels: ReadonlyMap<string, ChannelSetup>): readonly TellSetup[] {
  const given = reader.value("tell") ?? [];
  if (!Array.isArray(given)) {
    reader.fault("tell", `must be a list of channels, not ${describeValue(given)}`);
    return [];
  }
  return given.flatMap((one: unknown, index) => readPlace(reader, `tell.${index}`, one, channels) ?? []);
}

function readPlace(
  reader: OptionReader,
  path: string,
  given: unknown,
  channels: ReadonlyMap<string, ChannelSetup>,
): TellSetup | null {
  const place = typeof given === "string" ? { by: given } : given;
  const options = reader.inside(path, place, ["by", "to"]);
  const by = options.text("by", "by which channel");
  const to = options.optionalText("to", "which address");
  const channel = channels.get(by);
  if (channel === undefined) {
    const known = [...channels.keys()].join(", ") || "none";
    options.fault("by", `names no channel; there are: ${known}`);
    return null;
  }
  const isMail = channel.way.kind === "mail";
  if (isMail && (to === null || !isAddress(to))) options.fault("to", "must be a mail address");
  if (!isMail && to !== null) options.fault("to", "goes with mail only");
  return { channel: by, to };
}

/** One address and nothing else: what a mail server would read as several must not pass. */
function isAddress(text: string): boolean {
  return /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text);
}

function readConsoleUrl(reader: OptionReader): string | null {
  const text = reader.optionalText("consoleUrl", "where people reach the console");
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url !== null && isHttp && url.username === "" && url.search === "" && url.hash === "") {
    return url.href.replace(/\/$/, "");
  }
  reader.fault("consoleUrl", "must be an http address without a query, such as https://foothold.example.com");
  return null;
}

/** Every name that one owner, or `otherwise`, stands for must be there: a notice that goes nowhere is found here, not at night. */
function checkNames(
  reader: OptionReader,
  { owners, otherwise }: Pick<NoticeBook, "owners" | "otherwise">,
): void {
  const known = [...owners.keys()].join(", ") || "none";
  const check = (path: string, name: string, isPerson: boolean): void => {
    const owner = owners.get(name);
    if (owner === undefined) reader.fault(path, `names ${JSON.stringify(name)}, and there are: ${known}`);
    else if (isPerson && (owner.kind === "rota" || owner.people.length > 0)) {
      reader.fault(path, `names ${JSON.stringify(name)}, which is no person`);
    }
  };
  for (const [name, owner] of owners) {
    if (owner.kind === "people") {
      for (const person of owner.people) check(`owners.${name}.people`, person, true);
    } else if (owners.get(owner.fallback)?.kind === "rota") {
      reader.fault(`owners.${name}.fallback`, "must be a person or a team, not another rota");
    } else check(`owners.${name}.fallback`, owner.fallback, false);
  }
  if (otherwise !== null) check("otherwise", otherwise, false);
}
