import { FootholdError } from "../core/errors.ts";

/** What an act or a reading was refused with. */
export async function refusalOf(work: Promise<unknown>): Promise<FootholdError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof FootholdError) return error;
  throw new Error(`expected a refusal, got ${String(error)}`);
}
