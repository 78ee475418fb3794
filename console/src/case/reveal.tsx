/** What is masked of a case, seen for a reason that goes on record. */

import { useState, type JSX } from "react";
import { api } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { RevealForm } from "../reveal-form.tsx";
import { Told } from "../told.tsx";

type Revealed = Awaited<ReturnType<typeof api.revealCase>>;

const partWords = {
  input: "input",
  originalInput: "original input",
  result: "result of",
  evidence: "evidence of",
  request: "request of",
  event: "event",
} as const;

/** Says that something is masked, and opens the way to see it. */
export function Masked({
  caseId,
  mayReveal,
}: {
  readonly caseId: string;
  readonly mayReveal: boolean;
}): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="masked">
      <h2 id="masked">Masked values</h2>
      <p>Some values of this case are masked: a mark such as [masked: iban] stands in their place.</p>
      {mayReveal ? (
        <div className="buttons">
          <button type="button" onClick={() => setIsOpen(true)}>
            Reveal
          </button>
        </div>
      ) : (
        <p className="soft">To see them needs the right to reveal.</p>
      )}
      {isOpen ? <RevealDialog caseId={caseId} onClose={() => setIsOpen(false)} /> : null}
    </section>
  );
}

function RevealDialog({
  caseId,
  onClose,
}: {
  readonly caseId: string;
  readonly onClose: () => void;
}): JSX.Element {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  return (
    <Dialog title="Reveal masked values" onClose={onClose}>
      {revealed === null ? (
        <RevealForm
          says="You see what is masked of this case alone, until you close this."
          onReveal={async (reason) => setRevealed(await api.revealCase({ caseId, reason }))}
        />
      ) : (
        <Values {...revealed} />
      )}
    </Dialog>
  );
}

function Values({ values, isCut }: Revealed): JSX.Element {
  if (values.length === 0) return <p>Nothing of it is masked now.</p>;
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Of</th>
            <th scope="col">Path</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ part, name, path, value }, index) => (
            <tr key={`${part} ${name ?? ""} ${path} ${index}`}>
              <td>
                <Told text={[partWords[part], name ?? ""].join(" ").trim()} />
              </td>
              <th scope="row">
                <Told text={path === "" ? "the whole" : path} />
              </th>
              <td>
                <code>
                  <Told text={JSON.stringify(value)} />
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isCut ? <p className="soft">Only the first values are told.</p> : null}
    </>
  );
}
