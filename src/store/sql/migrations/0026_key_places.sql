-- How many cases of one key are worked on at once: the key of a case, whether it is held back, and the places of keys.
-- Readable from: 1
-- An engine that does not know the columns cannot claim or change a case that has a key: it needs a later one.
-- Caller: migrate. Lock order: cases, then a new table.

alter table foothold.cases add column concurrency_key text collate "C";
alter table foothold.cases add column held_since_at timestamptz;

comment on column foothold.cases.concurrency_key is
  'What limits how many cases of its tenant and type are worked on at once. Null = nothing.';
comment on column foothold.cases.held_since_at is
  'When it was due before its key held it back. Null = its key does not; no part of the journal.';

create table foothold.key_places (
  tenant text collate "C" not null,
  case_type text collate "C" not null,
  concurrency_key text collate "C" not null,
  slot smallint not null,
  shard smallint not null,
  case_id text collate "C" not null,
  claim_id text collate "C" not null,
  freed_by text collate "C" not null,
  key_limit smallint not null,
  taken_at timestamptz not null,
  replaced text collate "C",
  constraint key_places_pkey primary key (tenant, case_type, concurrency_key, slot),
  constraint key_places_whole check (slot between 1 and 1000 and key_limit between 1 and 1000 and freed_by in ('rest', 'end'))
) with (fillfactor = 50);

comment on table foothold.key_places is
  'Places of keys, as each was taken last. Whether one still holds follows from its case: nobody gives one back.';
comment on column foothold.key_places.slot is '1 to the limit: by the primary key no more can be taken.';
comment on column foothold.key_places.claim_id is 'Of the claim that took it. Claim ids never come back.';
comment on column foothold.key_places.freed_by is
  '`rest`: it holds while its case has this claim; `end`: until its case is done or canceled.';
comment on column foothold.key_places.key_limit is 'The limit by which it was taken.';
comment on column foothold.key_places.replaced is
  'The claim whose place it was, as seen before: a place that another claim took meanwhile is not taken.';

create index cases_held_by_key on foothold.cases (tenant, case_type, concurrency_key, priority, held_since_at)
  where held_since_at is not null;
create index key_places_taken on foothold.key_places (taken_at);
