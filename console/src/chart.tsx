/** Columns over time, with what they mean beside them, and the same numbers as a table for who cannot see or wants to read. */

import type { JSX } from "react";
import { columnsOf, type Moment, type Span } from "./columns.ts";
import { Exact, When } from "./times.tsx";
import type { Tone } from "./words.tsx";

const WIDTH = 720;
const HEIGHT = 120;

/** One series. */
interface Series {
  readonly name: string;
  /** `none` = an empty box: what there is room for. */
  readonly tone: Tone | "none";
}

/** What is drawn. */
export interface ChartProps {
  /** What the picture is of; told to those who do not see it, with its last numbers. */
  readonly title: string;
  readonly series: readonly Series[];
  readonly moments: readonly Moment[];
  readonly span: Span;
  /** How a number is written; whole numbers by default. */
  readonly say?: (value: number) => string;
}

/** The picture. */
export function Chart({ title, series, moments, span, say = sayNumber }: ChartProps): JSX.Element {
  const { fromAt, toAt, most, boxes } = columnsOf(moments, span);
  const last = moments.at(-1)?.parts ?? [];
  const now = series.map(({ name }, index) => `${say(last[index] ?? 0)} ${name}`).join(", ");
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>
        <span className="soft"> at most {say(most)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}, now ${now}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {boxes.map((stack, index) => (
          <g key={moments[index]?.at ?? index}>
            {stack.map(({ series: of, x, y, width, height }) => (
              <rect
                key={of}
                className={`tone-${series[of]?.tone ?? "off"}`}
                x={x * WIDTH}
                y={y * HEIGHT}
                width={Math.max(1, width * WIDTH - 1)}
                height={height * HEIGHT}
              />
            ))}
          </g>
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <div className="chart-foot">
        <When at={fromAt} />
        <ul className="legend">
          {series.map(({ name, tone }, index) => (
            <li key={name}>
              <span aria-hidden="true" className={`key tone-${tone}`} />
              {say(last[index] ?? 0)} {name}
            </li>
          ))}
        </ul>
        <When at={toAt} />
      </div>
    </figure>
  );
}

/** The same numbers, the newest first. */
export function NumberTable({
  title,
  columns,
  rows,
}: {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly at: number; readonly cells: readonly string[] }[];
}): JSX.Element {
  return (
    <details className="fold">
      <summary>{title}, as a table</summary>
      <div className="scroll is-low" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
        <table className="counts">
          <caption className="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ at, cells }) => (
              <tr key={at}>
                <th scope="row">
                  <Exact at={at} />
                </th>
                {cells.map((cell, index) => (
                  <td key={columns[index]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function sayNumber(value: number): string {
  return value.toLocaleString("en");
}
