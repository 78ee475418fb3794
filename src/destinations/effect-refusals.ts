/** What a table of effects refuses. Both refusals surely did nothing; triage knows them by their shape. */

/** A newer fencing token was shown there, so what comes under this one is late. The engine raises its own above `seen`. */
export class NewerTokenError extends Error {
  override readonly name = "NewerTokenError";
  readonly code = "NEWER_TOKEN";
  /** The highest token that was shown. */
  readonly seen: number;

  constructor(idempotencyKey: string, token: number, seen: number) {
    super(`${idempotencyKey} was shown the fencing token ${seen}, which is newer than ${token}`);
    this.seen = seen;
  }
}

/** The effect that this key stands for was made for another request. It counts as "already exists". */
export class DifferentRequestError extends Error {
  override readonly name = "DifferentRequestError";
  readonly code = "DIFFERENT_REQUEST";

  constructor(idempotencyKey: string) {
    super(`the effect of ${idempotencyKey} was made for another request`);
  }
}
