-- Bulk acts: one move made on many cases, with a result per case; and what people say of groups of problems.
-- Readable from: 1
-- An engine that does not know the tables makes no bulk acts and works on none.
-- Caller: migrate. Lock order: new tables only.

create table foothold.bulk_acts (
  bulk_id text collate "C" not null,
  move text collate "C" not null,
  request jsonb not null,
  filter jsonb not null,
  made_by jsonb not null,
  reason text,
  state text collate "C" not null,
  why text,
  is_tried boolean not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint bulk_acts_pkey primary key (bulk_id),
  constraint bulk_acts_state check (state in ('trying', 'running', 'paused', 'stopped', 'done'))
);

comment on table foothold.bulk_acts is 'Moves made on many cases at once; their cases are frozen when they are created.';
comment on column foothold.bulk_acts.request is 'What the move is made with.';
comment on column foothold.bulk_acts.filter is 'What the cases were found by, for people.';
comment on column foothold.bulk_acts.made_by is 'Who made it.';
comment on column foothold.bulk_acts.state is
  'In `trying` only the first case is worked on; `paused` and `stopped` begin nothing further.';
comment on column foothold.bulk_acts.why is 'Why it is paused or stopped.';
comment on column foothold.bulk_acts.is_tried is 'Whether its first case turned out well, or none was to be tried.';

create index bulk_acts_open on foothold.bulk_acts (created_at)
  where state in ('trying', 'running');

create table foothold.bulk_items (
  bulk_id text collate "C" not null,
  case_id text collate "C" not null,
  place integer not null,
  state text collate "C" not null,
  claim_id text collate "C",
  claimed_until timestamptz,
  code text collate "C",
  sentence text,
  ended_at timestamptz,
  constraint bulk_items_pkey primary key (bulk_id, place),
  constraint bulk_items_case unique (bulk_id, case_id),
  constraint bulk_items_state check (state in ('open', 'claimed', 'done', 'refused')),
  constraint bulk_items_claim check ((state = 'claimed') = (claim_id is not null and claimed_until is not null)),
  constraint bulk_items_end check ((state in ('done', 'refused')) = (ended_at is not null))
);

comment on table foothold.bulk_items is 'The cases of a bulk act, and what became of each.';
comment on column foothold.bulk_items.place is 'From 0; the first is the one that is tried.';
comment on column foothold.bulk_items.claimed_until is
  'When whoever works on it is taken to be gone. The move itself is made once, by its id.';
comment on column foothold.bulk_items.code is 'Of the refusal.';

create index bulk_items_open on foothold.bulk_items (bulk_id, place)
  where state in ('open', 'claimed');

create table foothold.problem_marks (
  problem_id text collate "C" not null,
  note text,
  owner text,
  made_by text not null,
  at timestamptz not null,
  constraint problem_marks_pkey primary key (problem_id)
);

comment on table foothold.problem_marks is
  'What people say of a group of problems, and whose it is. It outlives the cases in the group.';
comment on column foothold.problem_marks.problem_id is
  'Digest of what the cases have in common: type, kind, destination, step, cause.';
