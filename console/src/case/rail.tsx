/** The line along which steps stand: each with its sign, branches in lanes side by side. For the eye alone. */

import type { JSX } from "react";
import { laneCount, type Edge, type LaneRow } from "./lanes.ts";

const LANE_PX = 22;
/** All lanes together; of more that would need more room each is narrower. */
const LANES_PX_MAX = 88;
const NODE_Y_PX = 20;
const NODE_R_PX = 10;
const BEND_PX = 22;

/** How wide the rails of all rows are, and each lane of them, in px. */
export interface RailRoom {
  readonly width: number;
  readonly lanePx: number;
}

/** Room for the rails of these rows. */
export function railRoom(rows: readonly LaneRow[]): RailRoom {
  const lanes = laneCount(rows);
  const lanePx = Math.min(LANE_PX, LANES_PX_MAX / lanes);
  return { width: (lanes - 1) * lanePx + 2 * NODE_R_PX + 8, lanePx };
}

/** One row of it. */
export interface RailProps {
  readonly row: LaneRow;
  readonly sign: string;
  readonly lanePx: number;
  /** Steps whose lines are drawn through. */
  readonly standing: ReadonlySet<string>;
}

/** What it shows is told in words beside it. */
export function Rail({ row, sign, lanePx, standing }: RailProps): JSX.Element {
  const x = (lane: number): number => lane * lanePx + NODE_R_PX + 3;
  const here = x(row.lane);
  const look = ({ from }: Edge): string => (standing.has(from) ? "edge is-held" : "edge");
  return (
    <svg className="rail" aria-hidden="true" focusable="false">
      {row.through.map((edge) => (
        <line
          key={`t${edge.lane}`}
          className={look(edge)}
          x1={x(edge.lane)}
          x2={x(edge.lane)}
          y1="0"
          y2="100%"
        />
      ))}
      {row.into.map((edge) => (
        <path key={`i${edge.lane}`} className={look(edge)} d={bend(x(edge.lane), 0, here, NODE_Y_PX)} />
      ))}
      {row.out.map((edge) => (
        <g key={`o${edge.lane}`} className={look(edge)}>
          <path d={bend(here, NODE_Y_PX, x(edge.lane), NODE_Y_PX + BEND_PX)} />
          <line x1={x(edge.lane)} x2={x(edge.lane)} y1={NODE_Y_PX + BEND_PX} y2="100%" />
        </g>
      ))}
      <circle className="node" cx={here} cy={NODE_Y_PX} r={NODE_R_PX} />
      <text className="node-sign" x={here} y={NODE_Y_PX} textAnchor="middle" dominantBaseline="central">
        {sign}
      </text>
    </svg>
  );
}

function bend(fromX: number, fromY: number, toX: number, toY: number): string {
  const middle = (fromY + toY) / 2;
  return `M${fromX} ${fromY}C${fromX} ${middle} ${toX} ${middle} ${toX} ${toY}`;
}
