/** The inbox of one process: what receives, what works, what sweeps, and what people do, over one store. */

import { FootholdError } from "../core/errors.ts";
import type { Ports } from "../core/ports.ts";
import type { Registry } from "../define/registry.ts";
import type { Store } from "../store/port.ts";
import type { EventHistory } from "../store/inbox-port.ts";
import { workFor } from "./deliver.ts";
import { fetchHandler, nodeHandler, type FetchHandler, type NodeHandler } from "./handlers.ts";
import { ignoreEvent, type IgnoreAct, type IgnoreReport } from "./ignore.ts";
import type { Ask } from "./outside.ts";
import { Receiver } from "./receive.ts";
import { reconcile, type ReconcileBounds, type ReconcileReport } from "./reconcile.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";
import { showEvent } from "./show-event.ts";
import { createInboxSweep, type InboxSweep } from "./sweep.ts";
import { createInboxWorker, type InboxWorker, type InboxWorkerOptions } from "./worker.ts";

/** What an inbox is made of. */
export interface InboxOptions {
  readonly store: Store;
  readonly sources: readonly Source[];
  readonly ports: Ports;
  readonly onReport?: OnInboxReport;
  /** How long the body of one request may take, in ms. Default 10,000. */
  readonly bodyMsMax?: number;
  /** Asks providers for certificates and confirmations. Default: the built-in `fetch`. */
  readonly ask?: Ask;
}

/** An inbox. Making one starts nothing. */
export interface Inbox {
  readonly sources: readonly Source[];
  /** For Hono, Next and whatever else speaks fetch: the source is the last part of the path. */
  readonly fetch: FetchHandler;
  /** For node:http and Express; mounted before whatever reads bodies. */
  readonly node: NodeHandler;
  /** Answers for one source, whatever the path. */
  fetchFor(source: string): FetchHandler;
  /** The same for plain `node:http`, and what is built on it. */
  nodeFor(source: string): NodeHandler;
  /** What does the work, under a holder that beats: the worker of the same process. */
  worker(
    options: Pick<InboxWorkerOptions, "door" | "holderId"> &
      Partial<Pick<InboxWorkerOptions, "attemptsMax" | "firstDelayMs">> & { readonly registry: Registry },
  ): InboxWorker;
  /** What frees the work of lost holders, ends what waited too long and forgets what is old. */
  sweep(options?: { readonly intervalMs?: number }): InboxSweep;
  /** Reads the list of one source. Throws `CONFIG_INVALID`, and what its function throws. */
  reconcile(source: string, options?: ReconcileBounds): Promise<ReconcileReport>;
  /**
   * Opens the work of an event again, of one consumer or of all. What it did before is not done twice: its acts keep
   * their keys. Throws `INVALID_REQUEST` for an event or consumer that is not there.
   */
  replay(
    eventId: string,
    act: { readonly by: string; readonly reason: string; readonly consumer?: string },
  ): Promise<readonly string[]>;
  /**
   * Leaves the work of an event undone, of one consumer or of all, and says who and why; no repeat brings it back, a replay
   * does. Safe to do twice. Throws `INVALID_REQUEST` for an event or consumer that is not there, and `NOTHING_TO_IGNORE`
   * where all of it is done or a worker is at it.
   */
  ignore(eventId: string, act: IgnoreAct): Promise<IgnoreReport>;
  /** Everything about one event. Throws `INVALID_REQUEST` when there is none. */
  show(eventId: string): Promise<EventHistory>;
  /** Resolves when what was refused is noted. */
  settled(): Promise<void>;
  /** Ends the threads that read large bodies. What still comes is taken in as before. Safe twice. */
  close(): Promise<void>;
}

/** Makes an inbox. Throws `CONFIG_INVALID` when two sources have one name. */
export function createInbox(options: InboxOptions): Inbox {
  const { store, sources, ports, onReport } = options;
  const receiver = new Receiver({ ...options, store: store.inbox });
  const onUnread = (why: string): void => {
    onReport?.({ kind: "fault", during: "receiving", error: new FootholdError("CONFIG_INVALID", why) });
  };
  const report = onReport === undefined ? {} : { onReport };
  return {
    sources,
    fetch: fetchHandler(receiver, onUnread),
    node: nodeHandler(receiver, onUnread),
    fetchFor: (source) => fetchHandler(receiver, onUnread, () => source),
    nodeFor: (source) => nodeHandler(receiver, onUnread, () => source),
    worker: (given) => createInboxWorker({ ...given, store, sources, ports, ...report }),
    sweep: (given) => createInboxSweep({ ...given, store, sources, ports, receiver, ...report }),
    reconcile: (name, bounds = {}) =>
      reconcile({ store: store.inbox, receiver, ports, source: sourceNamed(sources, name), ...bounds }),
    replay: (eventId, act) => replay(options, eventId, act),
    ignore: (eventId, act) => ignoreEvent(store, eventId, act),
    show: (eventId) => showEvent(store, eventId),
    settled: () => receiver.settled(),
    close: () => receiver.close(),
  };
}

/** The source of this name. Throws `INVALID_REQUEST`. */
export function sourceNamed(sources: readonly Source[], name: string): Source {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const known = sources.map((one) => one.name).join(", ") || "none";
  throw new FootholdError(
    "INVALID_REQUEST",
    `There is no source ${JSON.stringify(name.slice(0, 60))}; there are: ${known}.`,
  );
}

async function replay(
  { store, sources }: InboxOptions,
  eventId: string,
  { by, reason, consumer }: { readonly by: string; readonly reason: string; readonly consumer?: string },
): Promise<readonly string[]> {
  const { event } = await showEvent(store, eventId);
  const source = sourceNamed(sources, event.source);
  const work = workFor(source, event).filter((one) => consumer === undefined || one.consumer === consumer);
  if (work.length > 0) return store.inbox.reopenWork(eventId, work, { by, reason });
  const which = consumer === undefined ? "any" : JSON.stringify(consumer.slice(0, 60));
  throw new FootholdError(
    "INVALID_REQUEST",
    `No consumer (${which} was asked for) of the source ${source.name} takes events of the type ${event.eventType}.`,
  );
}
