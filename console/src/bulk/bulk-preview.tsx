/** What a bulk act would do, by counts. */

import type { JSX } from "react";
import type { api } from "../api.ts";
import { Link } from "../link.tsx";
import { casePath } from "../route.ts";
import { Told } from "../told.tsx";
import { count } from "../words.tsx";

type Preview = Awaited<ReturnType<typeof api.previewBulk>>;

const effects: Readonly<Record<Preview["sends"][number]["effect"], string>> = {
  first: "for the first time",
  repeat: "again, with the same key",
  further: "as a further effect",
};

/** The lines. */
export function BulkPreviewLines({ preview }: { readonly preview: Preview }): JSX.Element {
  const { cases, withoutRight, looked, allowed, refused, sends } = preview;
  return (
    <div className="preview">
      <h3>What it would do</h3>
      <p>
        {count(cases, "case")}
        {looked < cases ? `; the ${looked} that have waited longest were looked at` : ""}:{" "}
        <strong>{allowed} would go</strong>, {looked - allowed} would be refused.
      </p>
      {withoutRight === 0 ? null : (
        <p>{count(withoutRight, "case")} left out: you have not the right to this move on them.</p>
      )}
      <ul>
        {sends.map(({ destination, effect, count: number }) => (
          <li key={`${destination} ${effect}`}>
            {effect === "first" ? "" : <strong>Repeated: </strong>}
            {count(number, "send")} to <Told text={destination} />, {effects[effect]}
          </li>
        ))}
        {refused.map(({ code, count: number, example, exampleCaseId }) => (
          <li key={code ?? example}>
            {number} refused, such as <Link to={casePath(exampleCaseId)}>{exampleCaseId}</Link>:{" "}
            <Told text={example} /> {code === null ? null : <code>{code}</code>}
          </li>
        ))}
      </ul>
    </div>
  );
}
