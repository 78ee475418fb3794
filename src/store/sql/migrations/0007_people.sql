-- People, their sessions, and tokens of programs. Of what opens a door only hashes are kept.
-- Readable from: 1
-- An engine that does not know the tables signs nobody in.
-- Caller: migrate. Lock order: none.

create table foothold.people (
  person_id text collate "C" not null,
  name text collate "C" not null,
  password_hash text,
  roles text[] not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  constraint people_pkey primary key (person_id),
  constraint people_name unique (name)
);

comment on table foothold.people is 'Who may sign in. A row stays when its person is disabled: the history names them.';
comment on column foothold.people.name is 'What they sign in with and what their acts are told by.';
comment on column foothold.people.password_hash is 'scrypt with its parameters and salt. Null = no password.';
comment on column foothold.people.roles is 'Roles by name; what each grants stands in the configuration.';

create table foothold.sessions (
  session_hash text collate "C" not null,
  person_id text collate "C" not null,
  idle_ms bigint not null,
  used_at timestamptz not null,
  ends_at timestamptz not null,
  constraint sessions_pkey primary key (session_hash)
);

create index sessions_person on foothold.sessions (person_id);

comment on table foothold.sessions is 'Who is signed in. Deleting a row signs them out.';
comment on column foothold.sessions.session_hash is 'SHA-256 of the token in the cookie.';
comment on column foothold.sessions.idle_ms is 'How long it may be unused, in ms.';
comment on column foothold.sessions.ends_at is 'When it ends however much it is used.';

create table foothold.tokens (
  token_id text collate "C" not null,
  token_hash text collate "C" not null,
  label text not null,
  person_id text collate "C" not null,
  scopes text[],
  created_at timestamptz not null,
  ends_at timestamptz,
  revoked_at timestamptz,
  constraint tokens_pkey primary key (token_id),
  constraint tokens_hash unique (token_hash)
);

comment on table foothold.tokens is 'Tokens of programs. Each acts as its person, and never may more.';
comment on column foothold.tokens.token_hash is 'SHA-256 of the token, which is shown once.';
comment on column foothold.tokens.scopes is 'Verbs that it is narrowed to; null = all that the person may.';

create table foothold.sign_in_failures (
  key text collate "C" not null,
  failures integer not null,
  ends_at timestamptz not null,
  constraint sign_in_failures_pkey primary key (key)
);

comment on table foothold.sign_in_failures is 'Failed tries to sign in, by account and by address, within a window.';
comment on column foothold.sign_in_failures.key is 'Hashed, so that a mistyped password in the place of a name is not kept.';
