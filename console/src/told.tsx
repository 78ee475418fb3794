/** Texts and values from outside: shown exactly, as text, in a direction of their own, with what cannot be seen made seen. */

import { useState, type JSX } from "react";
import type { Json } from "./api.ts";

/** Characters that turn, hide or break a line without showing. */
const unseen = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]`,
  "g",
);
/** Values longer than this are folded, in characters. */
const FOLD_CHARS = 400;
/** Of a value this much is written at first, in characters. */
const SHOWN_CHARS = 20_000;

/** The text with unseen characters written as their code. */
export function madeSeen(text: string): string {
  return text.replaceAll(unseen, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A text from outside. */
export function Told({ text }: { readonly text: string }): JSX.Element {
  return <bdi>{madeSeen(text)}</bdi>;
}

/** A JSON value: as it is when short, folded when long, and a very long one in parts. */
export function Value({ value, name }: { readonly value: Json; readonly name: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const text = madeSeen(JSON.stringify(value, null, 2));
  const shown = isWhole ? text : text.slice(0, SHOWN_CHARS);
  const body = (
    <>
      <pre className="value" tabIndex={0} aria-label={name} role="region" dir="ltr">
        {shown}
        {shown.length < text.length ? "\n…" : ""}
      </pre>
      {shown.length < text.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {Math.ceil(text.length / 1024).toLocaleString("en")} KiB
        </button>
      ) : null}
    </>
  );
  if (text.length <= FOLD_CHARS) return body;
  return (
    <details className="fold">
      <summary>
        {name} <span className="soft">({sayLetters(text.length)})</span>
      </summary>
      {body}
    </details>
  );
}

function sayLetters(letters: number): string {
  return letters < 1024 ? `${letters} characters` : `${Math.ceil(letters / 1024).toLocaleString("en")} KiB`;
}
