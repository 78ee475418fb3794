/** Requests to the inbox that were refused: kept without their bodies. */

import type { JSX } from "react";
import type { api } from "../api.ts";
import { When } from "../times.tsx";
import { Told } from "../told.tsx";
import { count } from "../words.tsx";

/** One of them. */
export type Refusal = Awaited<ReturnType<typeof api.listRefusals>>["refusals"][number];

/** The newest, folded. */
export function Refusals({ refusals }: { readonly refusals: readonly Refusal[] }): JSX.Element | null {
  if (refusals.length === 0) return null;
  const lost = refusals.filter(({ isLost }) => isLost).length;
  return (
    <details className="fold card">
      <summary>
        Refused requests ({refusals.length}
        {lost === 0 ? "" : `, ${lost} of them lost: only the provider's list has them`})
      </summary>
      <ul className="events">
        {refusals.map(({ refusalId, at, source, reason, bodyBytes, isLost, count: number }) => (
          <li key={refusalId}>
            <strong>
              <Told text={source} />
            </strong>
            : <Told text={reason} />
            {isLost ? ", lost" : ""} <When at={at} />
            <small>
              {count(number, "request")}, {count(bodyBytes, "byte")} read
            </small>
          </li>
        ))}
      </ul>
    </details>
  );
}
