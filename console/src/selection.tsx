/** What keys and selection do to the rows of a list of cases: one is assigned, some are acted on together. */

import { useState, type JSX } from "react";
import { api, asRefusal, type CaseLine, type Me } from "./api.ts";
import { BulkDialog } from "./bulk/bulk-dialog.tsx";
import { chooseRange, chosenOf, NONE_CHOSEN, toggleOne, type Chosen } from "./chosen.ts";
import { usePageKeys } from "./page-keys.ts";
import { Told } from "./told.tsx";
import { count } from "./words.tsx";

/** Selected cases of a list. */
export interface Selection {
  /** In the order of the list. */
  readonly caseIds: readonly string[];
  readonly choose: (caseId: string, isRange: boolean) => void;
  readonly clear: () => void;
  /** False for who may not act on many. */
  readonly isOffered: boolean;
}

/** Keeps what is selected of these cases. Another `key` is another list, with nothing selected. */
export function useSelection(key: string, cases: readonly CaseLine[], me: Me | null): Selection {
  const [kept, setKept] = useState<{ readonly key: string; readonly chosen: Chosen }>({
    key,
    chosen: NONE_CHOSEN,
  });
  const chosen = kept.key === key ? kept.chosen : NONE_CHOSEN;
  const order = cases.map(({ caseId }) => caseId);
  return {
    caseIds: chosenOf(chosen, order),
    choose: (caseId, isRange) =>
      setKept({ key, chosen: isRange ? chooseRange(chosen, caseId, order) : toggleOne(chosen, caseId) }),
    clear: () => setKept({ key, chosen: NONE_CHOSEN }),
    isOffered: me?.verbs.includes("bulk") === true,
  };
}

/** What the rows' keys need. */
export interface RowActsProps {
  readonly selection: Selection;
  readonly me: Me | null;
}

/** The keys of the rows, what came of them, and what is done with the selected ones. */
export function RowActs({ selection, me }: RowActsProps): JSX.Element {
  const [told, setTold] = useState("");
  const [isActing, setActing] = useState(false);
  const { caseIds, choose, clear, isOffered } = selection;
  const chooseFocused = (isRange: boolean): void => {
    const caseId = focusedCase();
    if (caseId !== null && isOffered) choose(caseId, isRange);
  };
  const assign = async (): Promise<void> => {
    const caseId = focusedCase();
    if (caseId !== null && me !== null) setTold(await assignTo(caseId, me));
  };
  usePageKeys({
    x: () => chooseFocused(false),
    X: () => chooseFocused(true),
    a: () => void assign(),
  });
  return (
    <>
      <p role="status" className={told === "" ? "hidden" : "told"}>
        <Told text={told} />
      </p>
      {caseIds.length === 0 ? null : (
        <div className="buttons chosen">
          <button type="button" className="primary" onClick={() => setActing(true)}>
            Act on {count(caseIds.length, "selected case")}
          </button>
          <button type="button" onClick={clear}>
            Select none
          </button>
        </div>
      )}
      {isActing && me !== null ? (
        <BulkDialog
          about={count(caseIds.length, "selected case")}
          filter={{ by: "cases", caseIds }}
          me={me}
          onClose={() => setActing(false)}
        />
      ) : null}
    </>
  );
}

function focusedCase(): string | null {
  const row = document.activeElement?.closest<HTMLElement>("[data-case]");
  return row?.dataset["case"] ?? null;
}

/** Assigns a case to whoever is signed in; gives what came of it, in words. */
export async function assignTo(caseId: string, { name }: Me, repairId?: string): Promise<string> {
  const under = repairId === undefined ? {} : { repairId };
  try {
    const { sentence } = await api.assignCase({ caseId, ...under, to: { id: name, label: name } });
    return `Assigned to ${name}. ${sentence}`;
  } catch (error) {
    const { code, message } = asRefusal(error);
    return `Not assigned: ${message} ${code}`;
  }
}
