/** Small pictures of numbers over time: bars, told in words to those who do not see them. */

import type { JSX } from "react";

const BAR_PX = 5;
const GAP_PX = 1;
const HEIGHT_PX = 28;

/** The numbers, the oldest first, and what they are. */
export interface BarsProps {
  readonly values: readonly number[];
  readonly label: string;
}

/** The bars. The highest fills the height; what is more than nothing is never invisible. */
export function Bars({ values, label }: BarsProps): JSX.Element {
  const most = Math.max(1, ...values);
  const width = values.length * (BAR_PX + GAP_PX);
  return (
    <svg
      className="bars"
      role="img"
      aria-label={label}
      width={width}
      height={HEIGHT_PX}
      viewBox={`0 0 ${width} ${HEIGHT_PX}`}
    >
      <line x1="0" x2={width} y1={HEIGHT_PX - 0.5} y2={HEIGHT_PX - 0.5} />
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(2, Math.round((value / most) * (HEIGHT_PX - 2)));
        const x = index * (BAR_PX + GAP_PX);
        return <rect key={index} x={x} y={HEIGHT_PX - 1 - height} width={BAR_PX} height={height} />;
      })}
    </svg>
  );
}
