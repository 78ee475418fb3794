/** The frame: who is signed in, the screens, the choices of this browser. */

import { useEffect, useRef, useState, type JSX } from "react";
import { api, SIGNED_OUT, type Me } from "./api.ts";
import { ActivityScreen } from "./activity.tsx";
import { AttentionScreen } from "./attention.tsx";
import { Boundary } from "./boundary.tsx";
import { BulkScreen } from "./bulk/bulk-acts.tsx";
import { BulkPage } from "./bulk/bulk-page.tsx";
import { CasePage } from "./case/case-page.tsx";
import { CasesScreen } from "./cases.tsx";
import { DestinationsScreen } from "./destinations.tsx";
import { EventPage } from "./events/event-page.tsx";
import { EventsScreen } from "./events/events.tsx";
import { Dialog } from "./dialog.tsx";
import { Jump } from "./jump.tsx";
import { followKeys, KEYS } from "./keyboard.ts";
import { Link } from "./link.tsx";
import { usePolled } from "./polled.ts";
import { SchedulePage } from "./schedules/schedule-page.tsx";
import { ProblemsScreen } from "./problems.tsx";
import { addressOf, usePlace, type Place } from "./route.ts";
import { choose, useSettings } from "./settings.ts";
import { SettingsScreen } from "./settings-screen.tsx";
import { OidcLink, SignInForm, SignInPage } from "./sign-in.tsx";
import { Told } from "./told.tsx";
import { CaseTypePage } from "./type-page.tsx";
import { WorkersScreen } from "./workers.tsx";

/** How often it is asked who is signed in, in ms. */
const ME_MS = 60_000;

/** The whole console. */
export function App(): JSX.Element {
  const place = usePlace();
  const me = usePolled("me", (signal) => api.showMe({}, { signal }), { everyMs: ME_MS });
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isJumpOpen, setJumpOpen] = useState(false);
  const { theme } = useSettings();
  useEffect(() => followKeys({ openHelp: () => setHelpOpen(true), openJump: () => setJumpOpen(true) }), []);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const { refresh } = me;
  useEffect(() => {
    addEventListener(SIGNED_OUT, refresh);
    return () => removeEventListener(SIGNED_OUT, refresh);
  }, [refresh]);
  const isOut = me.error?.code === "NOT_SIGNED_IN";
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Head place={place} me={me.data} onHelp={() => setHelpOpen(true)} />
      <Main place={place}>
        {isOut && me.data === null ? (
          <SignInPage onDone={refresh} />
        ) : (
          <Boundary key={Object.values(place.route).join(" ")}>
            <Screen place={place} me={me.data} />
          </Boundary>
        )}
      </Main>
      {isOut && me.data !== null ? (
        <Dialog title="Your session is over" onClose={refresh}>
          <p>Sign in again; what you filled in is still there.</p>
          <SignInForm onDone={refresh} />
          <OidcLink isBeside />
        </Dialog>
      ) : null}
      {isHelpOpen ? <Help onClose={() => setHelpOpen(false)} /> : null}
      {isJumpOpen && !isOut ? <Jump screens={screens} onClose={() => setJumpOpen(false)} /> : null}
    </>
  );
}

const screens = [
  { path: "", kind: "attention", name: "Needs attention" },
  { path: "cases", kind: "cases", name: "Cases" },
  { path: "problems", kind: "problems", name: "Problems" },
  { path: "destinations", kind: "destinations", name: "Destinations" },
  { path: "events", kind: "events", name: "Incoming events" },
  { path: "bulk", kind: "bulk", name: "Bulk acts" },
  { path: "workers", kind: "workers", name: "Workers" },
  { path: "activity", kind: "activity", name: "Activity" },
  { path: "settings", kind: "settings", name: "Settings" },
] as const;

/** The screen in the head that a page belongs to. */
function screenOf(kind: Place["route"]["kind"]): string {
  if (kind === "bulkAct") return "bulk";
  if (kind === "caseType") return "cases";
  if (kind === "schedule") return "workers";
  return kind === "event" ? "events" : kind;
}

function Head({
  place,
  me,
  onHelp,
}: {
  readonly place: Place;
  readonly me: Me | null;
  readonly onHelp: () => void;
}): JSX.Element {
  const { isLive } = useSettings();
  return (
    <header className="head">
      <Link to="" className="brand">
        Foothold
      </Link>
      <nav aria-label="Screens">
        <ul>
          {screens.map(({ path, kind, name }) => (
            <li key={kind}>
              <Link to={path} isCurrent={screenOf(place.route.kind) === kind}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="choices">
        <button
          type="button"
          className="quiet"
          aria-pressed={isLive}
          onClick={() => choose({ isLive: !isLive })}
        >
          <span aria-hidden="true">{isLive ? "● " : "○ "}</span>Live
        </button>
        <button type="button" className="quiet" onClick={onHelp}>
          Keys
        </button>
        {me === null ? null : (
          <Link to="settings" className="me">
            <Told text={me.name} />
          </Link>
        )}
        {me?.signedInBy === "session" ? (
          <button type="button" className="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        ) : null}
      </div>
    </header>
  );
}

/** The page is loaded anew: nothing of what was seen stays in it. */
async function signOut(): Promise<void> {
  await api.endSession().catch(() => undefined);
  location.assign(addressOf(""));
}

/** Another screen begins at its heading, for those who cannot see that it changed. */
function Main({ place, children }: { readonly place: Place; readonly children: JSX.Element }): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const { route } = place;
  const screen = Object.values(route).join(" ");
  useEffect(() => {
    const name = screens.find(({ kind }) => kind === route.kind)?.name;
    document.title = name === undefined ? "Foothold" : `${name} · Foothold`;
    if (isFirst.current) isFirst.current = false;
    else main.current?.querySelector<HTMLElement>("h1")?.focus();
  }, [screen]);
  return (
    <main ref={main} id="content" tabIndex={-1}>
      {children}
    </main>
  );
}

function Screen({ place, me }: { readonly place: Place; readonly me: Me | null }): JSX.Element {
  const { route, query } = place;
  switch (route.kind) {
    case "attention":
      return <AttentionScreen me={me} />;
    case "cases":
      return <CasesScreen query={query} me={me} />;
    case "case":
      return <CasePage key={route.caseId} caseId={route.caseId} me={me} />;
    case "caseType":
      return <CaseTypePage key={route.caseType} caseType={route.caseType} query={query} />;
    case "schedule":
      return <SchedulePage key={route.schedule} schedule={route.schedule} query={query} me={me} />;
    case "problems":
      return <ProblemsScreen query={query} me={me} />;
    case "events":
      return <EventsScreen query={query} />;
    case "event":
      return <EventPage key={route.eventId} eventId={route.eventId} me={me} />;
    case "bulk":
      return <BulkScreen />;
    case "bulkAct":
      return <BulkPage key={route.bulkId} bulkId={route.bulkId} query={query} />;
    case "destinations":
      return <DestinationsScreen me={me} />;
    case "workers":
      return <WorkersScreen />;
    case "activity":
      return <ActivityScreen query={query} />;
    case "settings":
      return <SettingsScreen me={me} />;
    case "nothing":
      return (
        <>
          <h1 tabIndex={-1}>There is nothing here</h1>
          <p>
            <Link to="">Needs attention</Link> · <Link to="cases">All cases</Link>
          </p>
        </>
      );
  }
}

function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { hasKeys } = useSettings();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={hasKeys}
          onChange={({ target }) => choose({ hasKeys: target.checked })}
        />
        Single keys act
      </label>
    </Dialog>
  );
}
