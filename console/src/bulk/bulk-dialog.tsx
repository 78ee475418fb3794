/** One move on many cases: what is filled in, what it would do by counts, and only then the button that begins it. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Me, type Refusal } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Refusing } from "../notices.tsx";
import { bulkPath, goTo } from "../route.ts";
import { count } from "../words.tsx";
import { BulkFields } from "./bulk-fields.tsx";
import { emptyBulkForm, readBulkForm, type BulkForm } from "./bulk-form.ts";
import { BulkPreviewLines } from "./bulk-preview.tsx";

type StartInput = Parameters<typeof api.startBulk>[0];
type Preview = Awaited<ReturnType<typeof api.previewBulk>>;

/** Which cases. */
export interface BulkDialogProps {
  /** In words. */
  readonly about: string;
  readonly filter: StartInput["filter"];
  /** The step that they stand at; left out = it differs. */
  readonly step?: string;
  readonly me: Me;
  readonly onClose: () => void;
}

/** The dialog. */
export function BulkDialog({ about, filter, step = "", me, onClose }: BulkDialogProps): JSX.Element {
  const [form, setForm] = useState<BulkForm>(() => emptyBulkForm(step));
  const [preview, setPreview] = useState<Preview | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      await work();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setBusy(false);
  };
  const look = (): Promise<void> =>
    run(async () => setPreview(await api.previewBulk({ move: readBulkForm(form), filter })));
  const begin = (): Promise<void> =>
    run(async () => {
      const reason = form.reason.trim();
      const { bulkId } = await api.startBulk({
        move: readBulkForm(form),
        filter,
        tryFirst: form.isTriedFirst,
        ...(reason === "" ? {} : { reason }),
      });
      goTo(bulkPath(bulkId));
    });
  return (
    <Dialog title="Act on many cases" onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void (preview === null ? look() : begin());
        }}
      >
        <p>
          One move on {about}. They are frozen when it begins: what comes later is not swept along. Each is
          judged by itself, and has a result of its own.
        </p>
        <BulkFields
          form={form}
          me={me}
          change={(changed) => {
            setForm((was) => ({ ...was, ...changed }));
            // What was counted was counted for another move.
            setPreview(null);
          }}
        />
        <div role="status">
          {preview === null ? isBusy ? "Counting…" : null : <BulkPreviewLines preview={preview} />}
        </div>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary" disabled={isBusy}>
            {preview === null ? "Show what it would do" : `Begin on ${count(preview.cases, "case")}`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
