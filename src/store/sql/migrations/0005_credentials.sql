-- Credentials: who refreshes the access of one now, and what came of it the last time, so that all processes together do
-- it once.
-- Readable from: 1
-- An engine that does not know the table refreshes nothing.
-- Caller: migrate. Lock order: none.

create table foothold.credentials (
  credential_id text collate "C" not null,
  state jsonb,
  constraint credentials_pkey primary key (credential_id)
);

comment on table foothold.credentials is
  'One row for each credential whose access was ever refreshed. It may be deleted while nothing refreshes.';
comment on column foothold.credentials.credential_id is 'Names the account, as destinations do. Never a secret.';
comment on column foothold.credentials.state is
  'Who refreshes it and until when, and how the last refresh ended (core/refresh.ts). Null = nothing is known.';
