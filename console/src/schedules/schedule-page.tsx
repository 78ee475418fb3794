/** One schedule: how it stands, its next slots, what became of those before, and what a person may do about it. */

import { useState, type JSX } from "react";
import { api, type Me, type ScheduleDetail } from "../api.ts";
import { Fact } from "../case/path.tsx";
import { Link } from "../link.tsx";
import { ReadProblem } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { casePath, pathWith, schedulePath, typePath } from "../route.ts";
import { Sentence } from "../sentence.tsx";
import { Exact, noteServerTime, When } from "../times.tsx";
import { Told } from "../told.tsx";
import { count } from "../words.tsx";
import { ScheduleDialog, type ScheduleOrder } from "./schedule-dialog.tsx";
import { LastCase, StandingBadge } from "./schedules.tsx";

type Slot = ScheduleDetail["slots"][number];

/** Slots on one page. */
const SLOTS = 50;

/** The screen. */
export function SchedulePage({
  schedule,
  query,
  me,
}: {
  readonly schedule: string;
  readonly query: URLSearchParams;
  readonly me: Me | null;
}): JSX.Element {
  const cursor = query.get("cursor");
  const page = { limit: SLOTS, ...(cursor === null ? {} : { cursor }) };
  const { data, error, refresh } = usePolled(`schedule ${schedule} ${cursor ?? ""}`, async (signal) => {
    const detail = await api.showSchedule({ schedule, ...page }, { signal });
    noteServerTime(detail.now);
    return detail;
  });
  const [asked, setAsked] = useState<ScheduleOrder | null>(null);
  const [told, setTold] = useState("");
  const done = (sentence: string): void => {
    setTold(sentence);
    setAsked(null);
    refresh();
  };
  return (
    <>
      <p className="crumbs">
        <Link to="workers">Workers and claims</Link>
      </p>
      <h1 tabIndex={-1}>
        <Told text={schedule} /> {data === null ? null : <StandingBadge schedule={data} />}
      </h1>
      <ReadProblem error={error} isOld={data !== null} />
      <p role="status" className={told === "" ? "hidden" : "told"}>
        <Sentence text={told} />
      </p>
      {data === null ? null : (
        <>
          <p className="sentence">
            <Sentence text={data.sentence} />.
          </p>
          <Orders detail={data} me={me} onOrder={setAsked} />
          <AboutSchedule detail={data} />
          <NextSlots detail={data} />
          <Slots detail={data} me={me} isFirst={cursor === null} onOrder={setAsked} />
        </>
      )}
      {asked === null ? null : (
        <ScheduleDialog schedule={schedule} order={asked} onDone={done} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

interface OrderProps {
  readonly detail: ScheduleDetail;
  readonly me: Me | null;
  readonly onOrder: (order: ScheduleOrder) => void;
}

function Orders({ detail, me, onOrder }: OrderProps): JSX.Element | null {
  const may = (verb: Me["verbs"][number]): boolean => me?.verbs.includes(verb) === true;
  const isPaused = detail.pause !== null;
  const orders = [
    ...(may("pause") && !isPaused ? [{ name: "Pause", order: { kind: "pause" } as const }] : []),
    ...(may("resume") && isPaused ? [{ name: "Resume", order: { kind: "resume" } as const }] : []),
    ...(may("start") && detail.standing !== "removed"
      ? [{ name: "Start one now", order: { kind: "start", slotAt: null } as const }]
      : []),
  ];
  if (orders.length === 0) return null;
  return (
    <div className="buttons">
      {orders.map(({ name, order }) => (
        <button key={name} type="button" onClick={() => onOrder(order)}>
          {name}
        </button>
      ))}
    </div>
  );
}

function AboutSchedule({ detail }: { readonly detail: ScheduleDetail }): JSX.Element {
  const { catchUp, waiting, starting, seenAt, pause } = detail;
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">About</h2>
      <dl className="facts about">
        <Fact name="Starts">
          <Link to={typePath(detail.caseType)}>
            <Told text={detail.caseType} />
          </Link>{" "}
          <span className="soft">of the tenant {detail.tenant}</span>
        </Fact>
        <Fact name="Cron">
          <code>{detail.cron}</code>, by the clocks of {detail.timeZone}:{" "}
          <span className="soft">{detail.zone}</span>
        </Fact>
        <Fact name="Catches up">
          {catchUp === "none"
            ? "nothing that nobody started in its time"
            : catchUp === "last"
              ? "the newest slot that nobody started in its time"
              : `up to ${catchUp.upTo} slots that nobody started in their time`}
        </Fact>
        <Fact name="While the case before is open">{OVERLAPS[detail.overlap]}</Fact>
        <Fact name="Last case">
          <LastCase schedule={detail} />
        </Fact>
        {pause === null ? null : (
          <Fact name="Paused">
            <When at={pause.at} isExact /> by <Told text={pause.by} />,{" "}
            {pause.untilAt === null ? (
              "until somebody resumes it"
            ) : (
              <>
                until <When at={pause.untilAt} isExact />
              </>
            )}
            : <Told text={pause.why} />
          </Fact>
        )}
        {waiting.length === 0 ? null : <Fact name="Waiting for the case before">{times(waiting)}</Fact>}
        {starting.length === 0 ? null : <Fact name="Being started">{times(starting)}</Fact>}
        <Fact name="A process that runs it">
          {seenAt === null ? (
            "was never seen"
          ) : (
            <>
              was seen <When at={seenAt} isExact />
            </>
          )}
        </Fact>
      </dl>
    </section>
  );
}

const OVERLAPS: Readonly<Record<ScheduleDetail["overlap"], string>> = {
  start: "another one is started beside it",
  skip: "the slot is left out",
  wait: "the slot waits for its end",
};

function times(slots: readonly number[]): readonly JSX.Element[] {
  return slots.map((at) => (
    <div key={at}>
      <Exact at={at} />
    </div>
  ));
}

function NextSlots({ detail }: { readonly detail: ScheduleDetail }): JSX.Element | null {
  const { nextSlots, timeZone } = detail;
  if (nextSlots.length === 0) return null;
  return (
    <section className="card" aria-labelledby="next">
      <h2 id="next">Next slots</h2>
      <ul className="events">
        {nextSlots.map(({ at, localTime }) => (
          <li key={at}>
            <When at={at} isExact />
            <small>
              {localTime.replace("T", " ")} in {timeZone}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Slots({ detail, me, isFirst, onOrder }: OrderProps & { readonly isFirst: boolean }): JSX.Element {
  const { slots, next, name } = detail;
  return (
    <section className="card" aria-labelledby="slots">
      <h2 id="slots">What became of its slots</h2>
      {slots.length === 0 ? <p className="calm">No slot is decided yet.</p> : null}
      <ul className="events">
        {slots.map((slot) => (
          <li key={slot.slotKey}>
            <SlotLine slot={slot} />
            <SlotOrders slot={slot} me={me} onOrder={onOrder} />
          </li>
        ))}
      </ul>
      {next === null && isFirst ? null : (
        <nav aria-label="Pages of slots" className="buttons">
          {isFirst ? null : <Link to={schedulePath(name)}>Newest</Link>}
          {next === null ? null : <Link to={pathWith(schedulePath(name), { cursor: next })}>Older</Link>}
        </nav>
      )}
    </section>
  );
}

function SlotLine({ slot }: { readonly slot: Slot }): JSX.Element {
  const { slotAt, lastAt, slots, isAtLeast, sentence, caseId, by } = slot;
  return (
    <>
      <Exact at={slotAt} />
      {lastAt === slotAt ? null : (
        <>
          {" "}
          to <Exact at={lastAt} />, {isAtLeast ? "at least " : ""}
          {count(slots, "slot")}
        </>
      )}
      : <Sentence text={sentence} />
      {by === null ? null : (
        <>
          {" "}
          by <Told text={by} />
        </>
      )}
      {caseId === null ? null : (
        <small>
          <Link to={casePath(caseId)} className="case-link">
            {caseId}
          </Link>
        </small>
      )}
    </>
  );
}

/** A slot of the calendar can be started; of several that were left out together the command line names one. */
function SlotOrders({
  slot,
  me,
  onOrder,
}: Omit<OrderProps, "detail"> & { readonly slot: Slot }): JSX.Element | null {
  const { slotKey, slotAt, outcome } = slot;
  const isOneSlot = slotKey === String(slotAt);
  const isWithoutCase = outcome !== "started" && outcome !== "starting" && isOneSlot;
  const canLeave = outcome === "refused" || outcome === "keyHeld";
  const name = <span className="hidden">: {new Date(slotAt).toISOString()}</span>;
  return (
    <>
      {isWithoutCase && me?.verbs.includes("start") === true ? (
        <button type="button" onClick={() => onOrder({ kind: "start", slotAt })}>
          Start it{name}
        </button>
      ) : null}
      {canLeave && me?.verbs.includes("ignore") === true ? (
        <button type="button" onClick={() => onOrder({ kind: "leave", slotKey })}>
          Leave it out{name}
        </button>
      ) : null}
    </>
  );
}
