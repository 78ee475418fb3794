/** "Access restored": one act for every case that waits on a credential, and what came of it. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { Link } from "./link.tsx";
import { Refusing } from "./notices.tsx";
import { casePath } from "./route.ts";
import { Sentence } from "./sentence.tsx";
import { Told } from "./told.tsx";
import { count } from "./words.tsx";

type AccessReply = Awaited<ReturnType<typeof api.restoreAccess>>;

/** Which access, and what follows. */
export interface RestoreProps {
  readonly destination: string;
  readonly credentialId: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The dialog. It stays open with what came of it. */
export function RestoreDialog({ destination, credentialId, onDone, onClose }: RestoreProps): JSX.Element {
  const [reason, setReason] = useState("");
  const [isSending, setSending] = useState(false);
  const [reply, setReply] = useState<AccessReply | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const send = async (): Promise<void> => {
    setSending(true);
    setRefusal(null);
    setReply(null);
    const told = reason.trim() === "" ? {} : { reason: reason.trim() };
    try {
      setReply(await api.restoreAccess({ destination, credentialId, ...told }));
      onDone();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setSending(false);
  };
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Dialog title={`Access restored: ${destination}`} onClose={onClose}>
      <form onSubmit={submit} className="act">
        <p>
          One case that waits on <code>{credentialId}</code> is tried first, for at most 20 s. If the
          destination takes it, every other case that waits on it goes on.
        </p>
        <label>
          Reason (may be left out)
          <textarea rows={2} value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        <div role="status">
          {isSending ? <p>One case is tried…</p> : null}
          {reply === null ? null : <Restored reply={reply} />}
        </div>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary" disabled={isSending}>
            Access is restored
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Restored({ reply }: { readonly reply: AccessReply }): JSX.Element {
  const { probe, released, waiting, refused } = reply;
  return (
    <div className={probe.kind === "works" || probe.kind === "nothingWaits" ? "told" : "notice"}>
      <p>
        {probe.kind === "nothingWaits" ? "Nothing waits on it." : null}
        {probe.kind === "works" ? `It works: ${count(released, "case")} went on.` : null}
        {probe.kind === "stillDenied" ? (
          <>
            It is still refused: <Told text={probe.why} />. {count(waiting, "case")} still waiting.
          </>
        ) : null}
        {probe.kind === "cannotTell" ? (
          <>
            It cannot be told yet: <Told text={probe.why} />. {count(waiting, "case")} still waiting.
          </>
        ) : null}
      </p>
      {"caseId" in probe ? (
        <p>
          Tried: <Link to={casePath(probe.caseId)}>{probe.caseId}</Link>
        </p>
      ) : null}
      {refused.length === 0 ? null : (
        <ul>
          {refused.map(({ caseId, sentence }) => (
            <li key={caseId}>
              <Link to={casePath(caseId)}>{caseId}</Link>: <Sentence text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
