-- Snapshots, so that a long journal is not folded from its beginning each time; and the ids by which facts and moves are
-- known that come again, so that no state has to keep them all.
-- Readable from: 3
-- An older engine would append facts without their ids.
-- Caller: migrate. Lock order: journal. The update rewrites the entries of facts only.

create table foothold.snapshots (
  shard smallint not null,
  case_id text collate "C" not null,
  revision foothold.revision not null,
  lineage text collate "C" not null,
  fold_version integer not null,
  codec text collate "C" not null,
  body bytea not null,
  body_hash foothold.body_hash not null,
  constraint snapshots_pkey primary key (shard, case_id)
);

comment on table foothold.snapshots is
  'The state that a long journal adds up to, so far. It may be deleted at any time: it is made anew from the journal.';
comment on column foothold.snapshots.revision is 'Number of the last entry that is folded into it.';
comment on column foothold.snapshots.lineage is
  'Lineage of the journal up to there. A snapshot from which the journal does not go on is not used.';
comment on column foothold.snapshots.fold_version is 'The fold that made it. Another one does not use it.';
comment on column foothold.snapshots.codec is 'How the body is written. `json`: the state as JSON, in UTF-8.';
comment on column foothold.snapshots.body_hash is 'SHA-256 of the body, compared whenever it is read.';

alter table foothold.journal add column source_id text collate "C";

update foothold.journal
set source_id = convert_from(body, 'UTF8')::json ->> 'sourceId'
where kind in ('eventReceived', 'approvalAnswered');

create unique index journal_source on foothold.journal (shard, case_id, source_id)
  where source_id is not null;

comment on column foothold.journal.source_id is
  'What a change is known by when it comes again: its source id, else its commit''s. Null in what holders commit.';
