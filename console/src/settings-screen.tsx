/** Settings: who one is and may do what, how this browser shows it, who else is known, and how the server is set. */

import type { JSX } from "react";
import { api, type Me } from "./api.ts";
import { Fact } from "./case/path.tsx";
import { ReadProblem } from "./notices.tsx";
import { usePolled } from "./polled.ts";
import { choose, useSettings } from "./settings.ts";
import { ThemeChoice } from "./theme-choice.tsx";
import { noteServerTime, ownZone, sayLength, When } from "./times.tsx";
import { Told } from "./told.tsx";

const READ_MS = 30_000;

type Read = Awaited<ReturnType<typeof api.showSettings>>;
type People = Awaited<ReturnType<typeof api.listPeople>>;

/** The screen. */
export function SettingsScreen({ me }: { readonly me: Me | null }): JSX.Element {
  const mayPeople = me?.verbs.includes("seePeople") === true;
  const { data, error } = usePolled(
    `settings ${String(mayPeople)}`,
    async (signal) => {
      const [read, people] = await Promise.all([
        api.showSettings({}, { signal }),
        mayPeople ? api.listPeople({}, { signal }) : null,
      ]);
      noteServerTime(read.now);
      return { read, people };
    },
    { everyMs: READ_MS },
  );
  return (
    <>
      <h1 tabIndex={-1}>Settings</h1>
      <ReadProblem error={error} isOld={data !== null} />
      <Display />
      {data === null || me === null ? null : (
        <>
          <Own me={me} read={data.read} />
          {data.people === null ? null : <Everybody people={data.people} />}
          <House read={data.read} />
        </>
      )}
    </>
  );
}

function Display(): JSX.Element {
  const { zone, hasKeys } = useSettings();
  return (
    <section className="card" aria-labelledby="display">
      <h2 id="display">On this browser</h2>
      <div className="filters">
        <ThemeChoice />
        <label>
          Exact times
          <select
            value={zone}
            onChange={({ target }) => choose({ zone: target.value === "utc" ? "utc" : "local" })}
          >
            <option value="local">{ownZone()}</option>
            <option value="utc">UTC</option>
          </select>
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={hasKeys}
            onChange={({ target }) => choose({ hasKeys: target.checked })}
          />
          Single keys act
        </label>
      </div>
    </section>
  );
}

const signedInWords: Readonly<Record<Me["signedInBy"], string>> = {
  dev: "as whoever runs this server on this machine",
  session: "with a session of this browser",
  token: "with a token",
};

function Own({ me, read }: { readonly me: Me; readonly read: Read }): JSX.Element {
  return (
    <section className="card" aria-labelledby="own">
      <h2 id="own">You</h2>
      <dl className="facts">
        <Fact name="Name">
          <Told text={me.name} />, {signedInWords[me.signedInBy]}
        </Fact>
        <Fact name="Roles">{read.roles.length === 0 ? "none that is kept" : read.roles.join(", ")}</Fact>
        <Fact name="Rights">
          <code>{me.verbs.join(", ")}</code>
        </Fact>
      </dl>
      <h3>Sessions</h3>
      {read.sessions.length === 0 ? <p className="soft">None is kept.</p> : null}
      <ul>
        {read.sessions.map(({ usedAt, endsAt, isThis }) => (
          <li key={`${usedAt} ${endsAt}`}>
            {isThis ? "This one, used" : "Used"} <When at={usedAt} />, ends <When at={endsAt} isExact /> if it
            is not used
          </li>
        ))}
      </ul>
      <h3>Tokens</h3>
      {read.tokens.length === 0 ? (
        <p className="soft">
          None. <code>foothold tokens create</code> makes one for a program.
        </p>
      ) : null}
      <ul>
        {read.tokens.map(({ tokenId, label, scopes, createdAt, endsAt, revokedAt }) => (
          <li key={tokenId}>
            <Told text={label} />: {scopes === null ? "all that you may" : scopes.join(", ")}; made{" "}
            <When at={createdAt} />
            {endsAt === null ? null : (
              <>
                , ends <When at={endsAt} isExact />
              </>
            )}
            {revokedAt === null ? null : (
              <>
                , revoked <When at={revokedAt} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Everybody({ people: { people, roles } }: { readonly people: People }): JSX.Element {
  return (
    <section className="card" aria-labelledby="people">
      <h2 id="people">People and roles</h2>
      <p className="soft">
        People are changed with <code>foothold people</code>, roles in the configuration.
      </p>
      <div className="scroll" tabIndex={0} role="region" aria-label="People">
        <table className="plain">
          <caption className="hidden">People</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Roles</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {people.map(({ personId, name, roles: own, createdAt, disabledAt }) => (
              <tr key={personId}>
                <th scope="row">
                  <Told text={name} />
                  {disabledAt === null ? null : <small>may not sign in</small>}
                </th>
                <td>{own.join(", ")}</td>
                <td>
                  <When at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {people.length === 0 ? <p className="soft">Nobody is kept.</p> : null}
      <dl className="facts">
        {roles.map(({ name, grants }) => (
          <Fact key={name} name={name}>
            {grants.map((grant) => (
              <p key={JSON.stringify(grant)}>
                <code>{say(grant.verbs, "everything")}</code>
                {grant.tenants === "all" ? "" : `, for the tenants ${grant.tenants.join(", ")}`}
                {grant.caseTypes === "all" ? "" : `, for the case types ${grant.caseTypes.join(", ")}`}
              </p>
            ))}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function say(some: "all" | readonly string[], all: string): string {
  return some === "all" ? all : some.join(", ");
}

function House({ read: { versions, limits, retention } }: { readonly read: Read }): JSX.Element {
  return (
    <section className="card" aria-labelledby="house">
      <h2 id="house">This server</h2>
      <dl className="facts">
        <Fact name="Version">
          {versions.build}, API {versions.api}, engine {versions.engine},{" "}
          {versions.schema === 0 ? "no schema: nothing is kept" : `schema ${versions.schema}`}
        </Fact>
        <Fact name="Sessions">
          end after {sayLength(limits.sessionIdleMs)} without use, and after{" "}
          {sayLength(limits.sessionLastsMs)}
        </Fact>
        <Fact name="Limits">
          {limits.listMax.toLocaleString("en")} cases a page, {limits.bulkCasesMax.toLocaleString("en")} cases
          in a bulk act, {(limits.bodyBytesMax / 1_048_576).toLocaleString("en")} MiB in a request
        </Fact>
        <Fact name="Kept of cases">everything, until somebody deletes it</Fact>
        {retention.map(({ source, keepBodiesMs, rememberMs }) => (
          <Fact key={source} name={`Kept of ${source}`}>
            bytes for {sayLength(keepBodiesMs)}, events and keys for {sayLength(rememberMs)}
          </Fact>
        ))}
      </dl>
    </section>
  );
}
