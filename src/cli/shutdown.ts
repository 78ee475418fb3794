/** Ctrl-C and SIGTERM: the first stops in order, the second at once. */

const signals = ["SIGINT", "SIGTERM"] as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** What is said after a first signal. */
export function sayStopping(signal: string): string {
  return `Stopping after ${signal}: what runs is finished first. Once more to stop at once.`;
}

/**
 * Runs until the first signal, then stops in order; a second signal ends the process with 128 + its number. `stop` is
 * called once, also when `start` fails.
 */
export async function runUntilStopped(parts: {
  readonly start: () => Promise<void>;
  /** Told of the first signal. */
  readonly onStopping: (signal: string) => void;
  readonly stop: () => Promise<void>;
}): Promise<void> {
  const stopping = new AbortController();
  const onSignal = (signal: (typeof signals)[number]): void => {
    if (stopping.signal.aborted) process.exit(128 + signalNumbers[signal]);
    parts.onStopping(signal);
    stopping.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    // A signal during the start stops it too, once it has got as far as it can.
    await parts.start();
    await aborted(stopping.signal);
  } finally {
    stopping.abort();
    await parts.stop();
    for (const signal of signals) process.off(signal, onSignal);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
