/** Signing in, on a page of its own or over the screen where a session ended: what was filled in there stays. */

import { useState, type JSX } from "react";
import { api, asRefusal, type Refusal } from "./api.ts";
import { usePolled } from "./polled.ts";
import { addressOf } from "./route.ts";
import { Sentence } from "./sentence.tsx";

const beside = { target: "_blank", rel: "noopener" } as const;
/** How the server lets people in changes with its configuration alone, in ms. */
const WAYS_MS = 600_000;

/** The form. `onDone` is called once somebody is signed in. */
export function SignInForm({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    setRefusal(null);
    try {
      await api.openSession({ name, password });
      onDone();
    } catch (error) {
      setRefusal(asRefusal(error));
    }
    setPassword("");
    setSending(false);
  };
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit} className="act sign-in">
      <label>
        Name
        <input
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </label>
      <div role="alert">
        {refusal === null ? null : (
          <p className="notice">
            <Sentence text={refusal.message} />
          </p>
        )}
      </div>
      <div className="buttons">
        <button type="submit" className="primary" disabled={isSending}>
          Sign in
        </button>
      </div>
    </form>
  );
}

/**
 * The way to the identity provider, where the server has one. It leads away from this page; where something is filled in, a
 * page beside it is opened, and this one goes on once its dialog is closed.
 */
export function OidcLink({ isBeside = false }: { readonly isBeside?: boolean }): JSX.Element | null {
  const { data } = usePolled("ways to sign in", (signal) => api.showSignIn({}, { signal }), {
    everyMs: WAYS_MS,
  });
  if (data?.hasOidc !== true) return null;
  return (
    <p>
      <a href={addressOf("api/v1/session/oidc")} {...(isBeside ? beside : {})}>
        Sign in at your identity provider
      </a>
      {isBeside ? ", on a page of its own; then close this." : null}
    </p>
  );
}

/** The page for those who are not signed in. */
export function SignInPage({ onDone }: { readonly onDone: () => void }): JSX.Element {
  return (
    <div className="card sign-in-page">
      <h1 tabIndex={-1}>Sign in</h1>
      <SignInForm onDone={onDone} />
      <OidcLink />
      <p className="soft">
        People are added with <code>foothold people add</code>; <code>foothold dev</code> signs in whoever
        runs it.
      </p>
    </div>
  );
}
