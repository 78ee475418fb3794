/** What a family of clients and providers knows: the shape of their errors and answers, and what their codes mean. */

import type { SeenResponse } from "../../core/seen-failure.ts";
import type { Executed } from "../../core/failure.ts";
import type { Codes, Meaning } from "../meaning.ts";
import type { Snapshot } from "../snapshot.ts";

/** What a family read from an error or an answer that is one of its own. */
export interface Words {
  /** Codes, the most telling first; those that its table does not know are passed over. */
  readonly codes: readonly string[];
  /** What is meant where no code is known. */
  readonly otherwise?: Meaning | null;
  /** What the error shows to have happened, whatever its code says. */
  readonly executed?: Executed;
  /** The answer as this client has it, null = there was none, whatever the error claims. Left out: as it was found. */
  readonly answer?: SeenResponse | null;
  /** Where a wait may be named, if not in the answer. */
  readonly hints?: Pick<SeenResponse, "headers" | "body">;
}

/** A family. It recognizes by shape only: never by class, never by a message. */
export interface Family {
  readonly name: string;
  /** Null for an error that is none of its own. */
  readonly fromError?: (snapshot: Snapshot) => Words | null;
  /** Null for an answer in another language. */
  readonly fromAnswer?: (answer: SeenResponse) => Words | null;
  readonly codes?: Codes;
}
