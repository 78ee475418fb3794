/** What the API takes and tells of pictures. */

import { z } from "zod";
import type { CaseMap, MapStep, ReadingCount } from "../../../desk/case-map.ts";
import {
  HISTORY_HOURS_MAX,
  type DestinationTraffic,
  type HistoryPoint,
  type StateHistory,
  type TrafficPoint,
  type TrafficView,
  type Tried,
  type TriedPoint,
} from "../../../desk/history.ts";
import type { HistoryQuery } from "../picture-types.ts";
import type { DestinationStanding } from "../../../store/sample-port.ts";
import { readableState } from "./case-schemas.ts";
import { name } from "./request-schemas.ts";
import { count, list, named, oneOf, text, time, timeOrNone, typed } from "./schema.ts";

/** Which history. */
export const historyQuery: z.ZodType<HistoryQuery> = typed<HistoryQuery>()(
  z.strictObject({
    hours: z.int().min(1).max(HISTORY_HOURS_MAX).exactOptional(),
    type: name.exactOptional(),
  }),
);

const readingCount = named<ReadingCount>("ReadingCount")(
  z.strictObject({ reading: readableState, cases: count, oldestAt: time }),
);

const mapStep = named<MapStep>("MapStep")(
  z.strictObject({ name: text, after: list(text), counts: list(readingCount) }),
);

/** The map of a case type. */
export const caseMap: z.ZodType<CaseMap> = named<CaseMap>("CaseMap")(
  z.strictObject({
    now: time,
    caseType: text,
    isLoaded: z.boolean(),
    isWhole: z.boolean(),
    steps: list(mapStep),
    betweenSteps: list(readingCount),
    ended: z.strictObject({ done: count, canceled: count }),
  }),
);

const historyPoint = named<HistoryPoint>("HistoryPoint")(
  z.strictObject({ at: time, states: list(readingCount) }),
);

/** How cases stood over time. */
export const history: z.ZodType<StateHistory> = named<StateHistory>("StateHistory")(
  z.strictObject({
    now: time,
    sinceAt: time,
    everyMs: count,
    isWhole: z.boolean(),
    points: list(historyPoint),
  }),
);

const standing = oneOf<DestinationStanding>({
  up: true,
  failing: true,
  down: true,
  throttled: true,
  quota: true,
  denied: true,
});

const trafficPoint = named<TrafficPoint>("TrafficPoint")(
  z.strictObject({ at: time, limit: count.nullable(), inFlight: count, heldBack: count, standing }),
);

const counts = { attempts: count, failed: count, requests: count, repeats: count, unmetered: count };

const triedPoint = named<TriedPoint>("TriedPoint")(z.strictObject({ fromAt: time, ...counts }));

const tried = named<Tried>("Tried")(z.strictObject({ ...counts, points: list(triedPoint) }));

const destinationTraffic = named<DestinationTraffic>("DestinationTraffic")(
  z.strictObject({
    destination: text,
    credentialId: text,
    standing,
    sentence: text,
    limit: count.nullable(),
    limitMax: count.nullable(),
    inFlight: count,
    workers: count,
    downSinceAt: timeOrNone,
    notBeforeAt: timeOrNone,
    lastFailure: z.strictObject({ at: time, sentence: text }).nullable(),
    heldBack: count,
    nextLookAt: timeOrNone,
    history: list(trafficPoint),
    tried,
  }),
);

/** What destinations take and took. */
export const traffic: z.ZodType<TrafficView> = named<TrafficView>("Traffic")(
  z.strictObject({ now: time, sinceAt: time, everyMs: count, destinations: list(destinationTraffic) }),
);
