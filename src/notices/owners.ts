/** Who the name of an owner stands for: people, teams, or whoever is on duty. */

import type { Clock } from "../core/ports.ts";
import { describeDuration } from "../define/duration.ts";
import type { NoticeBook, OwnerSetup, TellSetup } from "../define/notice-book.ts";
import type { NoticeTarget } from "../store/notice-port.ts";

/** Who is told, and what went wrong in finding them. */
export interface Resolved {
  /** Each place once; empty = nobody answers to the name. */
  readonly targets: readonly NoticeTarget[];
  /** Why a rota did not say who is on duty; null = it did, or none was asked. */
  readonly rotaFault: string | null;
  /** True where `otherwise` stands in for a name that nobody answers to. */
  readonly isStandIn: boolean;
}

/** Finds who is told for an owner. */
export async function resolveOwner(
  { owners, otherwise }: NoticeBook,
  owner: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Resolved> {
  const isKnown = owners.has(owner);
  const name = isKnown ? owner : otherwise;
  if (name === null) return { targets: [], rotaFault: null, isStandIn: false };
  const setup = owners.get(name);
  if (setup?.kind !== "rota") {
    return { targets: placesOf(owners, [name]), rotaFault: null, isStandIn: !isKnown };
  }
  const duty = await askRota(setup, { owner, owners, clock, signal });
  return { targets: placesOf(owners, duty.names), rotaFault: duty.fault, isStandIn: !isKnown };
}

type Owners = NoticeBook["owners"];

/** Every place where these people and teams are told, each once, in their order. */
function placesOf(owners: Owners, names: readonly string[]): readonly NoticeTarget[] {
  const places = new Map<string, NoticeTarget>();
  const add = (whom: string, tell: readonly TellSetup[]): void => {
    for (const { channel, to } of tell) {
      const key = JSON.stringify([channel, to]);
      if (!places.has(key)) places.set(key, { channel, to, whom });
    }
  };
  for (const name of names) {
    const owner = owners.get(name);
    if (owner?.kind !== "people") continue;
    add(name, owner.tell);
    for (const person of owner.people) {
      const one = owners.get(person);
      if (one?.kind === "people") add(person, one.tell);
    }
  }
  return [...places.values()];
}

interface Asking {
  readonly owner: string;
  readonly owners: Owners;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Duty {
  readonly names: readonly string[];
  readonly fault: string | null;
}

/** Code of the project: it may be late, throw, or name anybody. Its fallback is told then. */
async function askRota(
  { ask, deadlineMs, fallback }: Extract<OwnerSetup, { kind: "rota" }>,
  { owner, owners, clock, signal }: Asking,
): Promise<Duty> {
  const late = new AbortController();
  const done = new AbortController();
  const context = { owner, at: clock.now(), signal: AbortSignal.any([late.signal, signal]) };
  const answered = Promise.resolve()
    .then(() => ask(context))
    .then((answer) => dutyOf(answer, owners, fallback))
    .catch((): Duty => ({ names: [fallback], fault: "it threw an error" }));
  const waited = clock.sleep(deadlineMs, AbortSignal.any([done.signal, signal])).then((): Duty => {
    late.abort();
    return { names: [fallback], fault: `it did not answer within ${describeDuration(deadlineMs)}` };
  });
  const duty = await Promise.race([answered, waited]);
  done.abort();
  return duty;
}

function dutyOf(answer: unknown, owners: Owners, fallback: string): Duty {
  const names: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const known = names.filter(
    (one): one is string => typeof one === "string" && owners.get(one)?.kind === "people",
  );
  if (known.length > 0 && known.length === names.length) return { names: known, fault: null };
  const fault = "it named somebody who is no person and no team of the configuration";
  return { names: known.length > 0 ? known : [fallback], fault };
}
