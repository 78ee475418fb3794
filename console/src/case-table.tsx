/** Cases as a table: what stands, since when, who acts and by when. Narrow screens show each row as a card. */

import type { JSX } from "react";
import type { CaseLine } from "./api.ts";
import { chipsOf, valueIn } from "./attribute-columns.ts";
import { Link } from "./link.tsx";
import { casePath } from "./route.ts";
import { By, Exact, When } from "./times.tsx";
import type { Selection } from "./selection.tsx";
import { Sentence } from "./sentence.tsx";
import { madeSeen, Told } from "./told.tsx";
import { StateBadge } from "./words.tsx";

/** What the table shows. */
export interface CaseTableProps {
  readonly caption: string;
  /** True = the caption is for screen readers alone, as a heading says the same. */
  readonly isCaptionHidden?: boolean;
  readonly cases: readonly CaseLine[];
  /** Where all rows have the same actor, their group says it once. */
  readonly hasActor?: boolean;
  readonly selection: Selection;
  /** Attributes that have a column of their own, where all cases are of one type. */
  readonly columns?: readonly string[];
}

/** The table. */
export function CaseTable({
  caption,
  isCaptionHidden = false,
  cases,
  hasActor = true,
  selection,
  columns = [],
}: CaseTableProps): JSX.Element {
  return (
    <table className="cases">
      <caption className={isCaptionHidden ? "hidden" : undefined}>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Case</th>
          {columns.map((name) => (
            <th key={name} scope="col" className="attribute">
              <Told text={name} />
            </th>
          ))}
          <th scope="col">What stands</th>
          {hasActor ? <th scope="col">Who acts next</th> : null}
          <th scope="col">Since</th>
          <th scope="col">By</th>
        </tr>
      </thead>
      <tbody>
        {cases.map((line) => (
          <CaseRow
            key={line.caseId}
            line={line}
            hasActor={hasActor}
            selection={selection}
            columns={columns}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly line: CaseLine;
  readonly hasActor: boolean;
  readonly selection: Selection;
  readonly columns: readonly string[];
}

function CaseRow({ line, hasActor, selection, columns }: RowProps): JSX.Element {
  const { caseId, caseType, businessKey, reading, sinceAt, holding } = line;
  const isChosen = selection.caseIds.includes(caseId);
  return (
    <tr data-row={caseId} data-case={caseId} className={isChosen ? "is-chosen" : undefined}>
      <th scope="row">
        {/* There before it is known who may select: no row moves then. */}
        <input
          type="checkbox"
          className={selection.isOffered ? "choice" : "choice is-unseen"}
          aria-label={`Select ${madeSeen(businessKey ?? caseId)}`}
          checked={isChosen}
          onChange={({ nativeEvent }) =>
            selection.choose(caseId, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
        <Link to={casePath(caseId)} className="case-link">
          <Told text={businessKey ?? caseId} />
        </Link>
        <small>
          <Told text={caseType} />
          {businessKey === null ? null : <> · {caseId}</>}
          {line.isDefinitionLoaded ? null : " · its definition is not loaded here"}
        </small>
        <Chips line={line} columns={columns} />
      </th>
      {columns.map((name) => (
        <td key={name} className="attribute" data-label={`${name}: `}>
          <AttributeValue found={valueIn(name, line)} />
        </td>
      ))}
      <td className="what">
        <StateBadge state={reading.state} /> <Sentence text={reading.sentence} />
        {holding === null ? null : (
          <small>
            <Sentence text={holding.sentence} />
          </small>
        )}
      </td>
      {hasActor ? (
        <td data-label="Acts next: ">
          <Told text={reading.actsNext} />
        </td>
      ) : null}
      <td data-label="Since: ">
        <When at={sinceAt} />
      </td>
      <td data-label="By: ">
        {reading.byAt === null ? <span className="soft">no time set</span> : <By at={reading.byAt} />}
      </td>
    </tr>
  );
}

function AttributeValue({ found }: { readonly found: CaseLine["search"][number] | null }): JSX.Element {
  if (found === null) return <span className="soft">none</span>;
  const { type, value, number } = found;
  return type === "time" && number !== undefined ? <Exact at={number} /> : <Told text={value} />;
}

/** What else the case is found by: each short, and whole in its title. */
function Chips({ line, columns }: Pick<RowProps, "line" | "columns">): JSX.Element | null {
  const { chips, more } = chipsOf(line, columns);
  if (chips.length === 0) return null;
  return (
    <ul className="chips" aria-label={`${madeSeen(line.businessKey ?? line.caseId)} is found by`}>
      {chips.map((found) => (
        <li key={`${found.name}:${found.value}`} title={`${madeSeen(found.name)}: ${madeSeen(found.value)}`}>
          {found.type === "tag" ? null : (
            <span className="soft">
              <Told text={found.name} />{" "}
            </span>
          )}
          <AttributeValue found={found} />
        </li>
      ))}
      {more === 0 ? null : <li className="soft">and {more} more</li>}
    </ul>
  );
}
