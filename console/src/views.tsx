/** Lists of cases under a name, above the list: those that everybody has, and a person's own. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "./api.ts";
import { Dialog } from "./dialog.tsx";
import { Link } from "./link.tsx";
import { Refusing } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { Told } from "./told.tsx";
import { BUILT_IN_VIEWS, isShown, viewQuery, type View } from "./view.ts";

/** What one keeps changes by one's own hand alone, in ms. */
const VIEWS_MS = 60_000;

async function readViews(signal: AbortSignal): Promise<readonly View[]> {
  return (await api.listViews({}, { signal })).views;
}

/** All of them, and what keeps the shown list under a name. One line, whatever is in it: no row below it moves. */
export function Views({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const own = usePolled("views", readViews, { everyMs: VIEWS_MS });
  const [isKeeping, setKeeping] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const kept = own.data ?? [];
  const isNamed = [...BUILT_IN_VIEWS, ...kept].some((view) => isShown(view, query));
  const shown = kept.find((view) => isShown(view, query));
  const remove = async ({ name }: View): Promise<void> => {
    setRefusal(null);
    try {
      await api.removeView({ view: name });
      own.refresh();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <>
      <nav className="views" aria-label="Views">
        <ul>
          {[...BUILT_IN_VIEWS, ...kept].map((view, index) => (
            <li key={`${index} ${view.name}`}>
              <Link to={`cases?${view.query}`} isCurrent={isShown(view, query)}>
                <Told text={view.name} />
              </Link>
            </li>
          ))}
        </ul>
        {own.data === null || isNamed || viewQuery(query) === "" ? null : (
          <button type="button" className="quiet" onClick={() => setKeeping(true)}>
            Keep this list
          </button>
        )}
        {shown === undefined ? null : (
          <button type="button" className="quiet" onClick={() => void remove(shown)}>
            Remove view
          </button>
        )}
      </nav>
      <Refusing refusal={refusal ?? own.error} />
      {isKeeping ? (
        <KeepDialog
          query={viewQuery(query)}
          onDone={() => {
            setKeeping(false);
            own.refresh();
          }}
          onClose={() => setKeeping(false)}
        />
      ) : null}
    </>
  );
}

interface KeepDialogProps {
  readonly query: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function KeepDialog({ query, onDone, onClose }: KeepDialogProps): JSX.Element {
  const [name, setName] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const keep = async (): Promise<void> => {
    setRefusal(null);
    try {
      await api.saveView({ name: name.trim(), query });
      onDone();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
  };
  return (
    <Dialog title="Keep this list" onClose={onClose}>
      <form
        className="act"
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        <p>
          Its filters stand among your views then, wherever you sign in. One of the same name is replaced.
        </p>
        <label>
          Name
          <input value={name} required maxLength={80} onChange={({ target }) => setName(target.value)} />
        </label>
        <Refusing refusal={refusal} />
        <div className="buttons">
          <button type="submit" className="primary">
            Keep
          </button>
        </div>
      </form>
    </Dialog>
  );
}
