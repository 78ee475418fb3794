-- What all workers know of the destinations that they send to, and which workers send where.
-- Readable from: 6
-- An older engine would send beyond the limits, and could not read what cases wait for.
-- Caller: migrate. Lock order: new table, then holders. The default is a constant, so no row is rewritten.

create table foothold.destinations (
  destination text collate "C" not null,
  credential_id text collate "C" not null,
  state jsonb not null,
  changed_at timestamptz not null,
  constraint destinations_pkey primary key (destination, credential_id)
) with (fillfactor = 50);

comment on table foothold.destinations is
  'What is known of a destination under one credential. A row may be deleted at any time: then nothing is known.';
comment on column foothold.destinations.state is
  'The in-flight limit, since when it is down, before when nothing is sent, refused access, and permits.';

alter table foothold.holders add column destinations jsonb not null default '[]';

comment on column foothold.holders.destinations is
  'Where it may send: destination and credential, with a space between them. They share the limits.';
