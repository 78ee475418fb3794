/** A server of any framework with the shop behind it. */
export interface Mounted {
  /** Without a slash at the end. */
  readonly url: string;
  /** Takes no more requests, ends those that are open, then stops the shop. Call it at SIGTERM. */
  stop(): Promise<void>;
}
