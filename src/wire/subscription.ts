/** Diagnostics channels, listened to safely: what a subscriber throws would be taken for an uncaught exception. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** A channel and what is done with its messages. */
export interface Subscription {
  readonly channel: string;
  readonly onMessage: (message: unknown) => void;
}

/** Subscribes; gives the function that takes it back. A subscriber that throws is told to `onFault`. */
export function subscribeAll(subscriptions: readonly Subscription[], onFault: () => void): () => void {
  const listeners = subscriptions.map(({ channel, onMessage }) => {
    const listener = (message: unknown): void => {
      try {
        onMessage(message);
      } catch {
        // A message of an unknown shape, from a version that was not looked at: the request runs on, and counts are "at least".
        onFault();
      }
    };
    return { channel, listener };
  });
  for (const { channel, listener } of listeners) subscribe(channel, listener);
  return () => {
    for (const { channel, listener } of listeners) unsubscribe(channel, listener);
  };
}
