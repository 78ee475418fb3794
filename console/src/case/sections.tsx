/** The parts of a case's page below the path: what must hold, what came, what was tried, what was done. */

import { Fragment, type JSX } from "react";
import type { CaseView } from "../api.ts";
import { Link } from "../link.tsx";
import { casePath, listPath, schedulePath } from "../route.ts";
import { useSome } from "../some.tsx";
import { By, sayLength, When } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { madeSeen, Told, Value } from "../told.tsx";
import { count } from "../words.tsx";
import { conditionLines } from "./condition-lines.ts";
import { Fact } from "./path.tsx";

const answers: Readonly<Record<string, string>> = {
  holds: "holds",
  broken: "is broken",
  cannotTell: "cannot be told",
};
const roles = {
  when: "makes the step needed",
  requires: "must still hold",
  before: "asked once before sending",
} as const;

/** The conditions of every step, with the last answer, its age and when it may be asked again. */
export function Prerequisites({
  view,
  onCheck,
}: {
  readonly view: CaseView;
  readonly onCheck: (step: string) => void;
}): JSX.Element {
  const { nextCheck } = view;
  const { shown, more } = useSome(conditionLines(view.prerequisites), { most: 8, name: "condition" });
  return (
    <section className="card" aria-labelledby="needed">
      <h2 id="needed">Needed to go on</h2>
      <p>
        <Sentence text={nextCheck.sentence} />
      </p>
      <ul className="conditions">
        {shown.map(
          ({
            step,
            name,
            kind,
            role,
            answer,
            why,
            askedAt,
            ageMs,
            nextCheckAllowedAt,
            canCheckNow,
            keys,
          }) => (
            <li key={`${step} ${role} ${name}`} className={answer === "broken" ? "is-broken" : undefined}>
              <strong>
                <Told text={name} />
              </strong>{" "}
              {answer === null ? "was not asked yet" : (answers[answer] ?? answer)}
              {why === null ? null : (
                <>
                  : <Told text={why} />
                </>
              )}
              <small>
                <Told text={step} />
                {keys === 1 ? "" : ` (${keys} keys)`}, {roles[role]}
                {kind === "fact" ? ", read from the journal at each pick-up" : ""}
                {askedAt === null || ageMs === null ? "" : `, asked ${sayLength(ageMs)} ago`}
                {nextCheckAllowedAt === null ? null : (
                  <>
                    , next check allowed <When at={nextCheckAllowedAt} />
                  </>
                )}
              </small>
              {canCheckNow ? (
                <button type="button" onClick={() => onCheck(step)}>
                  Check now
                </button>
              ) : null}
            </li>
          ),
        )}
      </ul>
      {more}
    </section>
  );
}

/** What came since the case stopped, and what it knew before. */
export function Events({
  arrivedMeanwhile,
  events,
  repair,
}: Pick<CaseView, "arrivedMeanwhile" | "events" | "repair">): JSX.Element | null {
  const arrived = new Set(arrivedMeanwhile.map(({ revision }) => revision));
  const before = events.filter(({ revision }) => !arrived.has(revision));
  if (before.length === 0 && arrivedMeanwhile.length === 0) return null;
  return (
    <section className="card" aria-labelledby="events">
      <h2 id="events">Events</h2>
      {repair === null || repair.attached.length === 0 ? null : (
        <p className="notice">
          {count(repair.attached.length, "event")} came while it is open for repair; applied when the repair
          ends.
        </p>
      )}
      <ul className="events">
        {arrivedMeanwhile.map(({ became, why, ...event }) => (
          <Event
            key={event.revision}
            event={event}
            became={`arrived meanwhile, ${became}${why === null ? "" : `: ${why}`}`}
          />
        ))}
        {before.map((event) => (
          <Event key={event.revision} event={event} became="applied" />
        ))}
      </ul>
    </section>
  );
}

function Event({
  event,
  became,
}: {
  readonly event: CaseView["events"][number];
  readonly became: string;
}): JSX.Element {
  const { at, eventType, sourceId, payload } = event;
  return (
    <li>
      <strong>
        <Told text={eventType} />
      </strong>{" "}
      <When at={at} />, <Told text={became} />
      <small>
        <Told text={sourceId} />
      </small>
      <Value value={payload} name="Payload" />
    </li>
  );
}

/** Every attempt with what it really sent. */
export function Attempts({
  attempts,
  attemptsByLayer,
  losses,
}: Pick<CaseView, "attempts" | "attemptsByLayer" | "losses">): JSX.Element | null {
  const layers = useSome(attemptsByLayer, { most: 12, name: "step" });
  // The last ones are those that are looked for.
  const each = useSome(attempts.toReversed(), { most: 25, name: "attempt" });
  if (attempts.length === 0) return null;
  return (
    <section className="card" aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      {losses === 0 ? null : (
        <p className="notice">Its worker was lost {losses} times in a row with an attempt open.</p>
      )}
      <ul className="layers">
        {layers.shown.map(({ step, sentence, givesUpAt }) => (
          <li key={step}>
            <Sentence text={sentence} />
            {givesUpAt === null ? null : (
              <span className="soft">
                {" "}
                · gives up <When at={givesUpAt} isExact />
              </span>
            )}
          </li>
        ))}
      </ul>
      {layers.more}
      <div className="scroll" tabIndex={0} role="region" aria-label="Each attempt">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Attempt</th>
              <th scope="col">When</th>
              <th scope="col">What came of it</th>
              <th scope="col">Requests</th>
              <th scope="col">By</th>
              <th scope="col">Key</th>
            </tr>
          </thead>
          <tbody>
            {each.shown.map((one) => (
              <tr key={one.fencingToken}>
                <th scope="row">
                  <Told text={one.step} />
                </th>
                <td>{one.attempt}</td>
                <td>
                  <When at={one.openedAt} />
                </td>
                <td className="wide">
                  <Sentence text={one.sentence} />{" "}
                  {one.outcome === "open" ? (
                    <small>
                      its deadline <By at={one.sendDeadlineAt} />
                    </small>
                  ) : null}
                </td>
                <td>
                  {one.requests === null ? (
                    <span className="soft">not metered</span>
                  ) : (
                    <>
                      {one.requests.isAtLeast ? "at least " : ""}
                      {one.requests.sent}
                      {one.requests.repeats === 0 ? "" : `, ${one.requests.repeats} by the client itself`}
                      {one.requests.findings.map(({ code, sentence }) => (
                        <small key={code}>
                          <Sentence text={sentence} />
                        </small>
                      ))}
                    </>
                  )}
                </td>
                <td className="name">
                  <Told text={one.by} />
                </td>
                <td>
                  <code>
                    <Told text={one.idempotencyKey} />
                  </code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {each.more}
    </section>
  );
}

/** The input, and what was corrected. */
export function Input({
  input,
  inputChanges,
  corrections,
}: Pick<CaseView, "input" | "inputChanges" | "corrections">): JSX.Element {
  return (
    <section className="card" aria-labelledby="input">
      <h2 id="input">Input</h2>
      {inputChanges.length === 0 ? null : (
        <table className="plain diff">
          <caption>Corrected since the start</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">At the start</th>
              <th scope="col">Now</th>
            </tr>
          </thead>
          <tbody>
            {inputChanges.map(({ path, kind, from, to }) => (
              <tr key={path}>
                <th scope="row">
                  <Told text={path === "" ? "the whole input" : path} />
                </th>
                <td>
                  {kind === "added" ? <span className="soft">not there</span> : <del>{inShort(from)}</del>}
                </td>
                <td>
                  {kind === "removed" ? <span className="soft">not there</span> : <ins>{inShort(to)}</ins>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {corrections.map(({ revision, at, by, reason }) => (
        <p key={revision} className="soft">
          <Told text={by.name} /> <When at={at} isExact />: <Told text={reason} />
        </p>
      ))}
      <Value value={input} name="Input now" />
    </section>
  );
}

/** Longest value in a table of corrections, in characters; the whole one stands below it. */
const SHORT_CHARS_MAX = 200;

function inShort(value: CaseView["input"]): string {
  const text = madeSeen(JSON.stringify(value));
  return text.length <= SHORT_CHARS_MAX ? text : `${text.slice(0, SHORT_CHARS_MAX)}…`;
}

/** Everything that was written to the case, newest first. */
export function History({
  history,
  historyLeftOut,
  pastSeconds,
}: Pick<CaseView, "history" | "historyLeftOut" | "pastSeconds">): JSX.Element {
  const { shown, more } = useSome(history.toReversed(), { most: 60, name: "entry", names: "entries" });
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol className="history" reversed>
        {shown.map(({ revision, at, by, kind, sentence }) => (
          <li key={revision} value={revision}>
            {/* A note is what a person wrote. */}
            {kind === "noteAdded" ? <Told text={sentence} /> : <Sentence text={sentence} />}
            <small>
              <When at={at} isExact />
              {by === null ? null : (
                <>
                  {" "}
                  · <Told text={by.name} />
                </>
              )}
            </small>
          </li>
        ))}
      </ol>
      {more}
      {historyLeftOut === 0 ? null : (
        <p className="soft">
          {count(historyLeftOut, "older entry", "older entries")} left out; the command line shows them.
        </p>
      )}
      {pastSeconds.length === 0 ? null : (
        <>
          <h3>Asked of a second person</h3>
          <ul className="history">
            {pastSeconds.toReversed().map(({ requestId, sentence }) => (
              <li key={requestId}>
                <Sentence text={sentence} /> <small>{requestId}</small>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The cases that it started, each with the way there. */
export function Children({ view }: { readonly view: CaseView }): JSX.Element | null {
  const { children, caseId } = view;
  const { shown, more } = useSome(children, { most: 8, name: "child", names: "children" });
  if (children.length === 0) return null;
  return (
    <section className="card" aria-labelledby="children">
      <h2 id="children">Children</h2>
      <ul>
        {shown.map((child) => (
          <li key={child.caseId} className={child.standing === "inReview" ? "overdue" : ""}>
            <Link to={casePath(child.caseId)} className="case-link">
              <code>{child.caseId}</code>
            </Link>{" "}
            <Sentence text={child.sentence} />
          </li>
        ))}
      </ul>
      {more}
      <p className="soft">
        <Link to={listPath({ parent: caseId })}>All that it ever started</Link>
      </p>
    </section>
  );
}

/** Where the case comes from and who has it. */
export function About({ view }: { readonly view: CaseView }): JSX.Element {
  const {
    caseId,
    caseType,
    definition,
    businessKey,
    parent,
    search,
    tenant,
    startedAt,
    startedBy,
    slot,
    beginsAt,
    priority,
    holding,
    repair,
    assignee,
  } = view;
  return (
    <dl className="facts about">
      <Fact name="Type">
        <Told text={caseType} />{" "}
        <span className={definition.kind === "loaded" ? "soft" : "overdue"}>{definition.sentence}</span>
      </Fact>
      <Fact name="Id">
        <code>{caseId}</code>
      </Fact>
      {businessKey === null ? null : (
        <Fact name="Business key">
          <Told text={businessKey} />
        </Fact>
      )}
      {search.length === 0 ? null : (
        <Fact name="Found by">
          {search.map(({ name, value }, index) => (
            <Fragment key={`${name}:${value}`}>
              {index === 0 ? null : ", "}
              <Link to={listPath({ type: caseType, find: `${name}:${value}` })}>
                {name}: <Told text={value} />
              </Link>
            </Fragment>
          ))}
        </Fact>
      )}
      {parent === null ? null : (
        <Fact name="Parent">
          <Link to={casePath(parent.caseId)} className="case-link">
            <code>{parent.caseId}</code>
          </Link>
          , by its step <Told text={parent.step} />
        </Fact>
      )}
      <Fact name="Tenant">
        <Told text={tenant} />
      </Fact>
      <Fact name="Started">
        <When at={startedAt} isExact /> by <Told text={startedBy.name} />
      </Fact>
      {slot === null ? null : (
        <Fact name="By schedule">
          <Link to={schedulePath(slot.schedule)}>
            <Told text={slot.schedule} />
          </Link>
          , for the slot <When at={slot.at} isExact />
        </Fact>
      )}
      {beginsAt > startedAt ? (
        <Fact name="Begins">
          <When at={beginsAt} isExact />
        </Fact>
      ) : null}
      {priority === "normal" ? null : <Fact name="Priority">{priority}</Fact>}
      <Fact name="Assigned to">
        {assignee === null ? "nobody in particular" : <Told text={assignee.label} />}
      </Fact>
      <Fact name="Held">{holding === null ? "by nobody" : <Sentence text={holding.sentence} />}</Fact>
      {repair === null ? null : (
        <Fact name="Repair">
          <Told text={repair.by.name} /> since <When at={repair.openedAt} isExact />
        </Fact>
      )}
    </dl>
  );
}
