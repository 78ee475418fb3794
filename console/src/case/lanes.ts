/** Lays the steps of a case out as a path: one row a step, branches in lanes side by side. Pure. */

/** A step, in topological order among others. */
export interface PathNode {
  readonly name: string;
  readonly after: readonly string[];
}

/** A line in a lane that begins at the step `from`. */
export interface Edge {
  readonly lane: number;
  readonly from: string;
}

/** One row. */
export interface LaneRow {
  /** Where the step itself stands. */
  readonly lane: number;
  /** Lines from above that end at it. */
  readonly into: readonly Edge[];
  /** Lines that only pass by. */
  readonly through: readonly Edge[];
  /** Lines that begin at it. */
  readonly out: readonly Edge[];
}

interface Open {
  readonly to: string;
  readonly from: string;
}

/** A row for each step. A step stays in the lane of the first step that it follows, where that is free. */
export function lanesOf(nodes: readonly PathNode[]): readonly LaneRow[] {
  const lanes: (Open | null)[] = [];
  return nodes.map(({ name }) => {
    const into = edgesOf(lanes, (open) => open.to === name);
    for (const { lane } of into) lanes[lane] = null;
    const lane = into[0]?.lane ?? freeLane(lanes, null);
    const through = edgesOf(lanes, () => true);
    const followers = nodes.filter(({ after }) => after.includes(name));
    const out = followers.map((follower, index): Edge => {
      const taken = index === 0 ? lane : freeLane(lanes, lane);
      lanes[taken] = { to: follower.name, from: name };
      return { lane: taken, from: name };
    });
    return { lane, into, through, out };
  });
}

function edgesOf(lanes: readonly (Open | null)[], is: (open: Open) => boolean): readonly Edge[] {
  return lanes.flatMap((open, lane) => (open !== null && is(open) ? [{ lane, from: open.from }] : []));
}

function freeLane(lanes: readonly (Open | null)[], except: number | null): number {
  for (let lane = 0; lane < lanes.length; lane += 1) {
    if (lane !== except && (lanes[lane] ?? null) === null) return lane;
  }
  return except === lanes.length ? lanes.length + 1 : lanes.length;
}

/** How many lanes the widest row needs. */
export function laneCount(rows: readonly LaneRow[]): number {
  const used = rows.flatMap(({ lane, into, through, out }) => [
    lane,
    ...[...into, ...through, ...out].map((edge) => edge.lane),
  ]);
  return Math.max(0, ...used) + 1;
}
