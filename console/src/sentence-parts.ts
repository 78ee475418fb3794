/** Times in sentences of the server: found by the one form in which it writes them. Pure. */

/** A part of a sentence: words, or a time with how it is written there. */
export type SentencePart =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "time"; readonly text: string; readonly at: number };

/** An instant of ISO 8601 in UTC, whole: what stands within a longer text, such as a file's name, is none. */
const INSTANT = /(?<![\w.:+-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z(?![\w:+-])/g;

/** The parts in their order; joined, their texts are the sentence. */
export function sentenceParts(sentence: string): readonly SentencePart[] {
  const parts: SentencePart[] = [];
  let from = 0;
  for (const { 0: text, index } of sentence.matchAll(INSTANT)) {
    const at = Date.parse(text);
    // A day or an hour that there is not is no time.
    if (Number.isNaN(at)) continue;
    if (index > from) parts.push({ kind: "words", text: sentence.slice(from, index) });
    parts.push({ kind: "time", text, at });
    from = index + text.length;
  }
  if (from < sentence.length) parts.push({ kind: "words", text: sentence.slice(from) });
  return parts;
}
