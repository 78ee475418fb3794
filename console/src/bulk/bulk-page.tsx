/** One bulk act: how far it is, what became of each case, and what people do to it: pause, resume, stop. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "../api.ts";
import { Fact } from "../case/path.tsx";
import { Link } from "../link.tsx";
import { ReadProblem, Refusing } from "../notices.tsx";
import { usePolled } from "../polled.ts";
import { bulkPath, casePath, pathWith } from "../route.ts";
import { When } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { Told, Value } from "../told.tsx";
import { BulkState, nameOfMove, Progress, type BulkAct } from "./bulk-acts.tsx";

type Order = Parameters<typeof api.orderBulkAct>[0]["order"];
type Item = Awaited<ReturnType<typeof api.showBulkAct>>["items"][number];
type ItemState = Item["state"];

/** While it is worked off, in ms. */
const READ_MS = 2_000;

const itemStates: Readonly<Record<ItemState, string>> = {
  open: "open",
  claimed: "under way",
  done: "done",
  refused: "refused",
};

function stateOf(query: URLSearchParams): ItemState | null {
  const asked = query.get("state");
  return asked === "open" || asked === "claimed" || asked === "done" || asked === "refused" ? asked : null;
}

/** The screen. */
export function BulkPage({
  bulkId,
  query,
}: {
  readonly bulkId: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const state = stateOf(query);
  const after = Number(query.get("after") ?? "-1");
  const { data, error, refresh } = usePolled(
    `bulk act ${bulkId} ${query.toString()}`,
    (signal) => api.showBulkAct({ bulkId, after, ...(state === null ? {} : { state }) }, { signal }),
    { everyMs: READ_MS },
  );
  return (
    <>
      <p className="crumbs">
        <Link to="bulk">Bulk acts</Link>
      </p>
      <h1 tabIndex={-1}>
        {data === null ? bulkId : `${nameOfMove(data.act)} on ${data.act.counts.total.toLocaleString("en")}`}
      </h1>
      <ReadProblem error={error} isOld={data !== null} />
      {data === null ? null : (
        <>
          <About act={data.act} onDone={refresh} />
          <Items items={data.items} state={state} bulkId={bulkId} />
          {data.next === null ? null : (
            <nav className="pages" aria-label="Pages">
              <Link to={pathWith(bulkPath(bulkId), { state, after: String(data.next) })}>Next page</Link>
            </nav>
          )}
        </>
      )}
    </>
  );
}

const orders: Readonly<Record<BulkAct["state"], readonly (readonly [order: Order, name: string])[]>> = {
  trying: [
    ["pause", "Pause"],
    ["stop", "Stop for good"],
  ],
  running: [
    ["pause", "Pause"],
    ["stop", "Stop for good"],
  ],
  paused: [
    ["resume", "Resume"],
    ["stop", "Stop for good"],
  ],
  stopped: [],
  done: [],
};

function About({ act, onDone }: { readonly act: BulkAct; readonly onDone: () => void }): JSX.Element {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const order = async (asked: Order): Promise<void> => {
    setRefusal(null);
    try {
      await api.orderBulkAct({ bulkId: act.bulkId, order: asked });
      onDone();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <section className="card" aria-label="How far it is">
      <div role="status">
        <BulkState act={act} /> <Progress act={act} />
      </div>
      <dl className="facts">
        <Fact name="Made">
          <When at={act.createdAt} isExact /> by <Told text={act.by} />
        </Fact>
        {act.reason === null ? null : (
          <Fact name="Reason">
            <Told text={act.reason} />
          </Fact>
        )}
        <Fact name="Move">
          <Value value={act.request} name="The move" />
        </Fact>
        <Fact name="Found by">
          <Value value={act.filter} name="The filter, frozen" />
        </Fact>
      </dl>
      <Refusing refusal={refusal} />
      <div className="buttons">
        {orders[act.state].map(([asked, name]) => (
          <button
            key={asked}
            type="button"
            className={asked === "resume" ? "primary" : undefined}
            onClick={() => void order(asked)}
          >
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}

interface ItemsProps {
  readonly items: readonly Item[];
  readonly state: ItemState | null;
  readonly bulkId: string;
}

function Items({ items, state, bulkId }: ItemsProps): JSX.Element {
  const choices: readonly (ItemState | null)[] = [null, "open", "claimed", "done", "refused"];
  return (
    <section className="group">
      <h2>Cases</h2>
      <nav className="pages" aria-label="Which cases">
        {choices.map((one) => (
          <Link key={one} to={pathWith(bulkPath(bulkId), { state: one })} isCurrent={one === state}>
            {one === null ? "all" : itemStates[one]}
          </Link>
        ))}
      </nav>
      {items.length === 0 ? (
        <p className="calm">No case of it is here.</p>
      ) : (
        <table className="cases is-prose">
          <caption className="hidden">What became of each case, in their order</caption>
          <thead>
            <tr>
              <th scope="col">Case</th>
              <th scope="col">Result</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ caseId, place, state: own, code, sentence, endedAt }) => (
              <tr key={caseId} data-row={caseId}>
                <th scope="row">
                  <Link to={casePath(caseId)} className="case-link">
                    {caseId}
                  </Link>
                  {place === 0 ? <small>the first, by which it is tried</small> : null}
                </th>
                <td>
                  <span
                    className={`badge tone-${own === "done" ? "done" : own === "refused" ? "need" : "off"}`}
                  >
                    {itemStates[own]}
                  </span>{" "}
                  {sentence === null ? null : <Sentence text={sentence} />}{" "}
                  {code === null ? null : <code>{code}</code>}
                </td>
                <td data-label="When: ">
                  {endedAt === null ? <span className="soft">not yet</span> : <When at={endedAt} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
