/** What is wrong now, and what went wrong with reading it. */

import type { JSX } from "react";
import type { Overview, Refusal } from "./api.ts";
import { Link } from "./link.tsx";
import { listPath, schedulePath } from "./route.ts";
import { Sentence } from "./sentence.tsx";
import { Told } from "./told.tsx";

/** Shown only while it is true. */
export function HouseNotices({
  overview: { notices, schedules, undelivered },
}: {
  readonly overview: Pick<Overview, "notices" | "schedules" | "undelivered">;
}): JSX.Element | null {
  if (notices.length + schedules.length + undelivered === 0) return null;
  return (
    <ul className="notices" aria-label="Wrong now">
      {notices.map(({ caseType, sentence }) => (
        <li key={caseType} className="notice">
          <span aria-hidden="true">⚠ </span>
          <Sentence text={sentence} />. <Link to={listPath({ type: caseType })}>Its cases</Link>
        </li>
      ))}
      {schedules.map(({ schedule, sentence }) => (
        <li key={`schedule ${schedule}`} className="notice">
          <span aria-hidden="true">⚠ </span>
          Schedule{" "}
          <Link to={schedulePath(schedule)}>
            <Told text={schedule} />
          </Link>
          : <Sentence text={sentence} />.
        </li>
      ))}
      {undelivered === 0 ? null : (
        <li className="notice">
          <span aria-hidden="true">⚠ </span>
          {undelivered === 1 ? "1 notice" : `${undelivered} notices`} to owners could not be delivered. See{" "}
          <code>foothold notices list</code>.
        </li>
      )}
    </ul>
  );
}

/** Why nothing was read, or why what is shown is old. */
export function ReadProblem({
  error,
  isOld,
}: {
  readonly error: Refusal | null;
  readonly isOld: boolean;
}): JSX.Element {
  return (
    <div role="alert">
      {error === null ? null : (
        <p className="notice">
          {isOld ? "What is shown here is not read anew at present. " : ""}
          <Sentence text={error.message} /> <code>{error.code}</code>
        </p>
      )}
    </div>
  );
}

/** What changed while a list stood still. The region is there before its text comes. */
export function ChangedBar({
  changed,
  show,
}: {
  readonly changed: number;
  readonly show: () => void;
}): JSX.Element {
  return (
    <div className="changed" role="status">
      {changed === 0 ? null : (
        <button type="button" onClick={show}>
          {changed} changed – show
        </button>
      )}
    </div>
  );
}

/** Why an act was refused. The region is there before its text comes. */
export function Refusing({ refusal }: { readonly refusal: Refusal | null }): JSX.Element {
  return (
    <div role="alert">
      {refusal === null ? null : (
        <p className="notice">
          <Sentence text={refusal.message} /> <code>{refusal.code}</code>
        </p>
      )}
    </div>
  );
}
