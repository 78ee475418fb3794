/** What a server of the tests answers, and what that means. */

import { label, type Label, type Shown } from "./label.ts";

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is a text. */
  readonly body?: unknown;
}

/** An answer with its labels. */
export interface Said {
  readonly situation: string;
  readonly answer: Answer;
  readonly labels: readonly Label[];
}

const BOTH: readonly Shown[] = ["unseen", "wire"];

/** Answers in one provider's words: each row is a status and a code, and what they mean. */
export function spoken(
  language: string,
  clients: string,
  speak: (code: string, status: number) => Omit<Answer, "status">,
  rows: readonly (readonly [row: string, verdict: string])[],
): readonly Said[] {
  return rows.map(([row, verdict]) => {
    const [status, code = ""] = row.split(" ");
    const situation = `${language}: ${row}`;
    const answer = { status: Number(status), ...speak(code, Number(status)) };
    return { situation, answer, labels: label(clients, situation, "POST", BOTH, verdict) };
  });
}

/** One answer that needs more than a code. Its status stands first in the name of the situation. */
export function said(
  clients: string,
  situation: string,
  verdict: string,
  answer: Omit<Answer, "status">,
): Said {
  const status = Number(situation.split(" ")[0]);
  return {
    situation,
    answer: { status, ...answer },
    labels: label(clients, situation, "POST", BOTH, verdict),
  };
}

/** Headers of a JSON answer, with others. */
export function json(headers: Readonly<Record<string, string>> = {}): { readonly [name: string]: string } {
  return { "content-type": "application/json", ...headers };
}
