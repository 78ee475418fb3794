/** A sentence that the server made: shown as any text from outside, its times in the zone that the viewer chose. */

import { useMemo, type JSX } from "react";
import { sentenceParts } from "./sentence-parts.ts";
import { Moment } from "./times.tsx";
import { madeSeen } from "./told.tsx";

/** The sentence. For what people or other systems wrote by themselves there is `Told`, which changes nothing. */
export function Sentence({ text }: { readonly text: string }): JSX.Element {
  const parts = useMemo(() => sentenceParts(text), [text]);
  return (
    <bdi>
      {parts.map((part, index) =>
        part.kind === "time" ? <Moment key={index} at={part.at} /> : madeSeen(part.text),
      )}
    </bdi>
  );
}
