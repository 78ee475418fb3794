/** One case: the sentence first, then its path, what can be done, and everything behind it. */

import { useEffect, useRef, useState, type JSX } from "react";
import { api, type CaseOutline, type CaseView, type FormsView, type Me, type MoveView } from "../api.ts";
import { Link } from "../link.tsx";
import { ReadProblem } from "../notices.tsx";
import { usePageKeys } from "../page-keys.ts";
import { usePolled } from "../polled.ts";
import { casePath } from "../route.ts";
import { RestoreDialog } from "../restore.tsx";
import { assignTo } from "../selection.tsx";
import { By, noteServerTime, Since } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { madeSeen, Told } from "../told.tsx";
import { StateBadge, toneOf } from "../words.tsx";
import { ActDialog, type ActDialogProps } from "./act-dialog.tsx";
import { MOVE_FORMS, type Move, type MoveReply } from "./acts.ts";
import { Moves, nameOf, plannedMove } from "./moves.tsx";
import { placeMoves } from "./key-moves.ts";
import { pathOf } from "./path-steps.ts";
import { Path } from "./path.tsx";
import { PlanLines } from "./plan-lines.tsx";
import { Masked } from "./reveal.tsx";
import { useRepair, type RepairHandle } from "./repair.ts";
import { About, Attempts, Children, Events, History, Input, Prerequisites } from "./sections.tsx";
import { WentWrong } from "./went-wrong.tsx";

interface Read {
  readonly view: CaseView;
  /** Null where no definition is loaded. */
  readonly outline: CaseOutline | null;
  readonly forms: FormsView | null;
}

async function readCase(caseId: string, repairId: string | undefined, signal: AbortSignal): Promise<Read> {
  const view = await api.showCase({ caseId, ...(repairId === undefined ? {} : { repairId }) }, { signal });
  noteServerTime(view.now);
  const { caseType } = view;
  if (view.definition.kind !== "loaded") return { view, outline: null, forms: null };
  const [outline, forms] = await Promise.all([
    api.showCaseType({ caseType }, { signal }),
    api.showForms({ caseType }, { signal }),
  ]);
  return { view, outline, forms };
}

/** The screen. */
export function CasePage({ caseId, me }: { readonly caseId: string; readonly me: Me | null }): JSX.Element {
  const repair = useRepair(caseId);
  const repairId = repair.own?.repairId;
  const { data, error, refresh } = usePolled(
    `case ${caseId} ${repairId ?? ""}`,
    (signal) => readCase(caseId, repairId, signal),
    { hints: { of: "case", caseId } },
  );
  const [last, setLast] = useState<Read | null>(null);
  // Opening or ending a repair reads the case anew; until then the page stays as it was.
  if (data !== null && data !== last) setLast(data);
  const shown = data ?? last;
  return (
    <>
      <p className="crumbs">
        <Link to="">Needs attention</Link> <span aria-hidden="true">/</span> <Link to="cases">Cases</Link>
        {shown === null || shown.view.parent === null ? null : (
          <>
            {" "}
            <span aria-hidden="true">/</span>{" "}
            <Link to={casePath(shown.view.parent.caseId)}>The case that started it</Link>
          </>
        )}
      </p>
      {shown === null ? <h1 tabIndex={-1}>Case {madeSeen(caseId)}</h1> : <Heading view={shown.view} />}
      <ReadProblem error={error} isOld={shown !== null} />
      {shown === null && error === null ? <p className="soft">Reading…</p> : null}
      {shown === null ? null : <Body {...shown} me={me} repair={repair} refresh={refresh} />}
    </>
  );
}

function Heading({ view }: { readonly view: CaseView }): JSX.Element {
  const { reading, businessKey, caseId, sinceAt } = view;
  useEffect(() => {
    document.title = `${reading.state}: ${businessKey ?? caseId} · Foothold`;
  }, [reading.state, businessKey, caseId]);
  return (
    <header className={`lead tone-${toneOf(reading.state)}`}>
      <h1 tabIndex={-1}>
        <Told text={businessKey ?? caseId} /> <StateBadge state={reading.state} />
      </h1>
      <p className="sentence">
        <Sentence text={reading.sentence} />
      </p>
      <p>
        <Since at={sinceAt} />
        {". "}
        {reading.actsNext === "nobody" ? null : (
          <>
            <strong>
              <Told text={reading.actsNext} />
            </strong>{" "}
            acts next
            {reading.byAt === null ? (
              ", at no set time"
            ) : (
              <>
                , <By at={reading.byAt} isSaid />
              </>
            )}
            .
          </>
        )}
      </p>
    </header>
  );
}

interface BodyProps extends Read {
  readonly me: Me | null;
  readonly repair: RepairHandle;
  readonly refresh: () => void;
}

function Body({ view, outline, forms, me, repair, refresh }: BodyProps): JSX.Element {
  const [picked, setPicked] = useState<MoveView | null>(null);
  const [told, setTold] = useState("");
  const status = useRef<HTMLParagraphElement>(null);
  const done = (reply: MoveReply): void => {
    if (reply.kind === "repair") repair.set({ repairId: reply.repairId, beatEveryMs: reply.beatEveryMs });
    if (reply.kind === "act" && (picked?.move === "close" || picked?.move === "handOver")) repair.set(null);
    setTold(reply.kind === "act" ? sayReply(picked, reply) : reply.sentence);
    setPicked(null);
    refresh();
    // The button that opened the dialog may be gone with what it did.
    setTimeout(() => status.current?.focus());
  };
  const pick = (move: MoveView | null): void => {
    if (move?.isAllowed === true) setPicked(move);
    else setTold(move === null ? "Nothing can be done here." : `${nameOf(move)}: ${move.why ?? "not now"}`);
  };
  const find = (name: Move): MoveView | null => view.moves.find(({ move }) => move === name) ?? null;
  const assign = async (): Promise<void> => {
    const move = find("assign");
    if (move?.isAllowed !== true || me === null) return pick(move);
    setTold(await assignTo(view.caseId, me, repair.own?.repairId));
    refresh();
  };
  usePageKeys({
    a: () => void assign(),
    n: () => pick(find("note")),
    p: () => pick(plannedMove(view)),
  });
  const path = pathOf(view, outline);
  const { beside, atKeys } = placeMoves(view, path);
  return (
    <>
      <p ref={status} role="status" tabIndex={-1} className={told === "" ? "hidden" : "told"}>
        <Told text={told} />
      </p>
      {repair.over === null ? null : (
        <p role="alert" className="notice">
          Your repair is over: <Sentence text={repair.over} />
        </p>
      )}
      {repair.own === null ? null : (
        <p className="notice is-own">
          You have this case open for repair. It is yours while this page is open.
        </p>
      )}
      {view.requested.length === 0 ? null : (
        <p className="notice">Asked of its holder, and not carried out yet: {view.requested.join(", ")}.</p>
      )}
      <div className="case">
        <div className="case-first">
          <section aria-labelledby="path" className="card">
            <h2 id="path">Path</h2>
            <Path steps={path} atKeys={{ moves: atKeys, failures: view.failures, onPick: setPicked }} />
          </section>
          <Children view={view} />
          <WentWrong view={view} />
        </div>
        <div className="case-side">
          <Moves view={view} moves={beside} hasKeyMoves={atKeys.size > 0} onPick={setPicked} />
          {view.storedState === "done" || view.storedState === "canceled" ? null : (
            <>
              <Prerequisites
                view={view}
                onCheck={(step) =>
                  setPicked(view.moves.find((one) => one.move === "check" && one.step === step) ?? null)
                }
              />
              <section className="card" aria-label="Plan">
                <PlanLines
                  plan={view.ifResumed ?? view.plan}
                  title={view.ifResumed === null ? "If it goes on as it stands" : "If it is resumed"}
                />
                {view.resumeBlocked === null ? null : (
                  <p className="soft">
                    A resume would not help: <Sentence text={view.resumeBlocked} />
                  </p>
                )}
              </section>
            </>
          )}
          <section className="card" aria-labelledby="about">
            <h2 id="about">About</h2>
            <About view={view} />
          </section>
        </div>
        <div className="case-rest">
          <Events {...view} />
          <Attempts {...view} />
          <Input {...view} />
          {view.isMasked ? <Masked caseId={view.caseId} mayReveal={view.mayReveal} /> : null}
          <History {...view} />
        </div>
      </div>
      {picked === null ? null : (
        <Picked
          picked={picked}
          view={view}
          forms={forms}
          repairId={repair.own?.repairId}
          onDone={done}
          onRestored={refresh}
          onClose={() => setPicked(null)}
        />
      )}
    </>
  );
}

type PickedProps = Omit<ActDialogProps, "move"> & {
  readonly picked: MoveView;
  readonly onRestored: () => void;
};

function Picked({ picked, onRestored, ...rest }: PickedProps): JSX.Element | null {
  const { move, credential } = picked;
  if (move !== "restoreAccess") return <ActDialog {...rest} move={{ ...picked, move }} />;
  if (credential === null) return null;
  return <RestoreDialog {...credential} onDone={onRestored} onClose={rest.onClose} />;
}

function sayReply(picked: MoveView | null, { reply }: Extract<MoveReply, { kind: "act" }>): string {
  const move = picked === null ? "" : `${MOVE_FORMS[picked.move].name}: `;
  const asked = reply.outcome === "requested" ? "asked of its holder. " : "";
  return `${move}${asked}${reply.sentence}${reply.ignored === undefined ? "" : ` ${reply.ignored}`}`;
}
