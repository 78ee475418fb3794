-- Cases that other cases started: whose they are, and what their parent was last told of them.
-- Readable from: 1
-- An engine that does not know the columns starts no children; what it changes of one is told by any other one.
-- Caller: migrate. Lock order: cases, for its own time.
set local lock_timeout = '10s';
alter table foothold.cases add column parent_id text collate "C";
alter table foothold.cases add column told text collate "C";

comment on column foothold.cases.parent_id is 'The case that started it; null = none did.';
comment on column foothold.cases.told is
  'How it stood when its parent was last told: running, inReview, done or canceled. Null where it has no parent.';

create index cases_parent on foothold.cases (parent_id, started_at desc, case_id desc)
  where parent_id is not null;

-- What a parent is not told of yet: few rows, read by the sweep. It is not by time: no commit under a claim may change an
-- indexed column.
create index cases_untold on foothold.cases (shard, case_id)
  where parent_id is not null
    and told <> case when state in ('done', 'canceled') then state when has_review then 'inReview' else 'running' end;
