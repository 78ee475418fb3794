/** One event: where it came from, how often it was seen, what it called for and what became of that, and what it says. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Me, type Refusal } from "../api.ts";
import { Fact } from "../case/path.tsx";
import { Link } from "../link.tsx";
import { ReadProblem, Refusing } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { Sentence } from "../sentence.tsx";
import { When } from "../times.tsx";
import { LongText, Told } from "../told.tsx";
import { count } from "../words.tsx";
import { RevealForm } from "../reveal-form.tsx";
import { WorkDialog, type WorkAct } from "./work-dialog.tsx";
import { STANDINGS, WorkLine, type Work } from "./work-words.tsx";

type History = Awaited<ReturnType<typeof api.showEvent>>;
type Body = Awaited<ReturnType<typeof api.showEventBody>>;

/** What somebody is about to do, and to the work of which consumer; null = of every one. */
interface Asked {
  readonly act: WorkAct;
  readonly consumer: string | null;
}

/** The screen. */
export function EventPage({
  eventId,
  me,
}: {
  readonly eventId: string;
  readonly me: Me | null;
}): JSX.Element {
  const { data, error, refresh } = usePolled(`event ${eventId}`, (signal) =>
    api.showEvent({ eventId }, { signal }),
  );
  const [asked, setAsked] = useState<Asked | null>(null);
  const [told, setTold] = useState("");
  const mayReplay = me?.verbs.includes("replay") === true;
  const mayIgnore = me?.verbs.includes("ignore") === true;
  const done = (sentence: string): void => {
    setTold(sentence);
    setAsked(null);
    refresh();
  };
  return (
    <>
      <p className="crumbs">
        <Link to="events">Incoming events</Link>
      </p>
      <h1 tabIndex={-1}>{data === null ? eventId : <Told text={data.event.eventType} />}</h1>
      <ReadProblem error={error} isOld={data !== null} />
      <p role="status" className={told === "" ? "hidden" : "told"}>
        <Sentence text={told} />
      </p>
      {data === null ? null : (
        <>
          <AboutEvent history={data} />
          <section className="card" aria-labelledby="work">
            <h2 id="work">Its work</h2>
            {data.work.length === 0 ? <p>It called for none: {STANDINGS[data.event.standing]}.</p> : null}
            <ul className="events">
              {data.work.map((work) => (
                <li key={work.consumer}>
                  <WorkLine work={work} />
                  {mayReplay && work.state !== "claimed" ? (
                    <button
                      type="button"
                      onClick={() => setAsked({ act: "replay", consumer: work.consumer })}
                    >
                      {work.state === "in_review" ? "Retry" : "Do again"}
                      <span className="hidden">: {work.consumer}</span>
                    </button>
                  ) : null}
                  {mayIgnore && isOpen(work) ? (
                    <button
                      type="button"
                      onClick={() => setAsked({ act: "ignore", consumer: work.consumer })}
                    >
                      Ignore
                      <span className="hidden">: {work.consumer}</span>
                    </button>
                  ) : null}
                </li>
              ))}
            </ul>
            {mayReplay || mayIgnore ? (
              <div className="buttons">
                {mayReplay ? (
                  <button type="button" onClick={() => setAsked({ act: "replay", consumer: null })}>
                    Replay for every consumer
                  </button>
                ) : null}
                {mayIgnore && data.work.filter(isOpen).length > 1 ? (
                  <button type="button" onClick={() => setAsked({ act: "ignore", consumer: null })}>
                    Ignore for every consumer
                  </button>
                ) : null}
              </div>
            ) : null}
          </section>
          <Sightings history={data} />
          {me?.verbs.includes("seeBody") === true ? (
            <EventBody eventId={eventId} mayReveal={me.verbs.includes("reveal")} />
          ) : null}
        </>
      )}
      {asked === null ? null : (
        <WorkDialog {...asked} eventId={eventId} onDone={done} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

/** A worker that is lost holds its work until the sweep sees it; the server knows which. */
function isOpen({ state }: Work): boolean {
  return state !== "done" && state !== "ignored";
}

function AboutEvent({ history }: { readonly history: History }): JSX.Element {
  const { event, delivery } = history;
  return (
    <section className="card" aria-labelledby="arrived">
      <h2 id="arrived">How it arrived</h2>
      <dl className="facts about">
        <Fact name="Source">
          <Told text={event.source} /> <span className="soft">of the tenant {event.tenant}</span>
        </Fact>
        <Fact name="Id">
          <code>{event.eventId}</code>
        </Fact>
        {event.subject === null ? null : (
          <Fact name="Subject">
            <Told text={event.subject} />
          </Fact>
        )}
        <Fact name="First seen">
          <When at={event.firstSeenAt} isExact />
        </Fact>
        <Fact name="Seen">
          {count(event.sightings, "time")}, last <When at={event.lastSeenAt} isExact />; the same by its{" "}
          {event.keyKind === "delivery" ? "delivery id" : "body"}
        </Fact>
        {event.occurredAt === null ? null : (
          <Fact name="Happened">
            <When at={event.occurredAt} isExact /> <span className="soft">as its sender says</span>
          </Fact>
        )}
        {delivery === null ? null : (
          <>
            <Fact name="Delivery">
              <code>{delivery.deliveryId}</code>, {delivery.how === "posted" ? "posted" : "read from a list"}
            </Fact>
            <Fact name="Proved by">
              <Told text={delivery.scheme} />, secret <Told text={delivery.secretId} />
              {delivery.signedAt === null ? null : (
                <>
                  , signed <When at={delivery.signedAt} isExact />
                </>
              )}
            </Fact>
            <Fact name="Headers kept">
              <LongText
                name="Headers"
                text={delivery.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
              />
            </Fact>
          </>
        )}
      </dl>
    </section>
  );
}

const sightingWords: Readonly<Record<History["sightings"][number]["kind"], string>> = {
  repeat: "came again, with the same bytes",
  different: "came again under the same key, with other bytes",
  listed: "was found in the provider's list",
  sameFact: "another event tells the same fact",
  sameBody: "another event has the same bytes",
  replayed: "opened again",
  ignored: "ignored",
};

function Sightings({ history }: { readonly history: History }): JSX.Element | null {
  if (history.sightings.length === 0) return null;
  return (
    <section className="card" aria-labelledby="sightings">
      <h2 id="sightings">Seen again</h2>
      <ul className="events">
        {history.sightings.map(({ at, kind, reference, by, reason }) => (
          <li key={`${at} ${reference}`}>
            <When at={at} isExact /> {sightingWords[kind]}
            {by === null ? null : (
              <>
                {" "}
                by <Told text={by} />
              </>
            )}
            {reason === null ? null : (
              <>
                : <Told text={reason} />
              </>
            )}
            <small>
              <Told text={reference} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Read only when it is asked for. */
function EventBody({
  eventId,
  mayReveal,
}: {
  readonly eventId: string;
  readonly mayReveal: boolean;
}): JSX.Element {
  const [body, setBody] = useState<Body | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const read = async (): Promise<void> => {
    setRefusal(null);
    try {
      setBody(await api.showEventBody({ eventId }));
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <section className="card" aria-labelledby="body">
      <h2 id="body">What it says</h2>
      <Refusing refusal={refusal} />
      {body === null ? (
        <div className="buttons">
          <button type="button" onClick={() => void read()}>
            Show its bytes
          </button>
        </div>
      ) : (
        <Bytes body={body} />
      )}
      {body?.isMasked === true && mayReveal ? (
        <details className="fold">
          <summary>Reveal what is masked</summary>
          <RevealForm
            says="You see the body as it was sent, until you leave this page."
            onReveal={async (reason) => setBody(await api.revealEventBody({ eventId, reason }))}
          />
        </details>
      ) : null}
    </section>
  );
}

function Bytes({ body: { bytes, text, hex, isCut, isMasked } }: { readonly body: Body }): JSX.Element {
  if (bytes === null) return <p>Its bytes are deleted: their time was over.</p>;
  if (isMasked && text === null) {
    return <p>{count(bytes, "byte")} of which nobody can tell what is masked: only a reveal shows them.</p>;
  }
  return (
    <>
      <p className="soft">
        {count(bytes, "byte")}
        {text === null ? ", no text in UTF-8: in hexadecimal" : ""}
        {isCut ? "; only the beginning is shown" : ""}
        {isMasked ? "; what its source masks is a mark" : ""}
      </p>
      {bytes === 0 ? null : <LongText name="Bytes" text={text ?? hex ?? ""} />}
    </>
  );
}
