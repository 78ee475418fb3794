/** Texts and values from outside: shown exactly, as text, in a direction of their own, with what cannot be seen made seen. */

import { useMemo, useState, type JSX } from "react";
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
/** What a browser lays out without a pause that is felt, in characters. */
const PART_CHARS = 250_000;

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
  // What is shown again with every reading of the page is written once.
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return <LongText text={text} name={name} />;
}

/** A text of any length from outside: as it is when short, folded when long, and a very long one in parts. */
export function LongText({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  if (text.length <= FOLD_CHARS) return <Shown text={text} name={name} />;
  return <Folded text={text} name={name} />;
}

/** Nothing of it is written before it is opened. */
function Folded({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name} <span className="soft">({sayLetters(text.length)})</span>
      </summary>
      {isOpen ? <Parts text={text} name={name} /> : null}
    </details>
  );
}

function Parts({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const [part, setPart] = useState(0);
  if (!isWhole && text.length > SHOWN_CHARS) {
    return (
      <>
        <Shown text={`${cut(text, 0, SHOWN_CHARS)}\n…`} name={name} />
        <button type="button" onClick={() => setWhole(true)}>
          Show all {Math.ceil(text.length / 1024).toLocaleString("en")} KiB
        </button>
      </>
    );
  }
  const parts = Math.ceil(text.length / PART_CHARS);
  if (parts <= 1) return <Shown text={text} name={name} />;
  return (
    <>
      <Shown text={cut(text, part * PART_CHARS, (part + 1) * PART_CHARS)} name={name} />
      <div className="buttons" role="group" aria-label={`Parts of ${name}`}>
        <button type="button" disabled={part === 0} onClick={() => setPart(part - 1)}>
          Part before
        </button>
        <span role="status">
          Part {part + 1} of {parts}
        </span>
        <button type="button" disabled={part + 1 === parts} onClick={() => setPart(part + 1)}>
          Next part
        </button>
      </div>
    </>
  );
}

/** From one place to another, moved where a character of two units would be torn apart. */
function cut(text: string, from: number, to: number): string {
  return text.slice(whole(text, from), whole(text, to));
}

function whole(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at + 1 : at;
}

function Shown({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  return (
    <pre className="value" tabIndex={0} aria-label={name} role="region" dir="ltr">
      {madeSeen(text)}
    </pre>
  );
}

function sayLetters(letters: number): string {
  return letters < 1024 ? `${letters} characters` : `${Math.ceil(letters / 1024).toLocaleString("en")} KiB`;
}
