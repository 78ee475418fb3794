-- What workers tried at destinations: attempts, what they really sent, and what clients repeated by themselves.
-- Readable from: 1
-- An engine that does not know the table counts nothing.
-- Caller: migrate. Lock order: new table.

create table foothold.attempt_counts (
  from_at timestamptz not null,
  destination text collate "C" not null,
  credential_id text collate "C" not null,
  counted_by text collate "C" not null,
  attempts integer not null,
  failed integer not null,
  requests integer not null,
  repeats integer not null,
  unmetered integer not null,
  constraint attempt_counts_pkey primary key (from_at, destination, credential_id, counted_by)
) with (fillfactor = 70);

comment on table foothold.attempt_counts is
  'What each worker tried at each destination, every quarter of an hour. It may be deleted at any time: only pictures show it.';
comment on column foothold.attempt_counts.from_at is 'When the quarter of an hour begins.';
comment on column foothold.attempt_counts.counted_by is 'Random id of the worker, one for each of its starts.';
comment on column foothold.attempt_counts.requests is 'Requests that were seen to leave.';
comment on column foothold.attempt_counts.repeats is 'How many of them a client made by itself.';
comment on column foothold.attempt_counts.unmetered is 'Attempts whose requests could not all be seen.';
