-- Samples of how cases stand and of what destinations take, for pictures over time; and an index for cases that are paused
-- without an end, which are found by no due time.
-- Readable from: 1
-- An engine that does not know the table takes no samples.
-- Caller: migrate. Lock order: cases for the index, then a new table.

create index cases_paused on foothold.cases (started_at)
  where state = 'paused' and due_at is null;

create table foothold.samples (
  sampled_at timestamptz not null,
  states jsonb not null,
  destinations jsonb not null,
  is_whole boolean not null,
  constraint samples_pkey primary key (sampled_at)
);

comment on table foothold.samples is
  'How open cases stood and what destinations took, every few minutes. It may be deleted at any time: only pictures show it.';
comment on column foothold.samples.states is 'Cases by type and by state as people read it, and since when the first stands so.';
comment on column foothold.samples.destinations is 'Limit, attempts under way, cases held back and standing of each.';
comment on column foothold.samples.is_whole is 'False where there was more than was counted.';
