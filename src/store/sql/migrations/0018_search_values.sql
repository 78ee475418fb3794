-- What cases can be found by beside their business key: values of search attributes, and tags.
-- Readable from: 1
-- An engine that does not know the table starts cases that are found by their key alone.
-- Caller: migrate. Lock order: new tables only.

create table foothold.search_values (
  shard smallint not null,
  case_id text collate "C" not null,
  name text collate "C" not null,
  value text collate "C" not null,
  number float8,
  started_at timestamptz not null,
  constraint search_values_pkey primary key (shard, case_id, name, value)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

comment on table foothold.search_values is
  'An index: what each case was ever found by. What it is found by now its summary says, and every search compares that.';
comment on column foothold.search_values.name is 'Of the attribute; `tag` for a tag.';
comment on column foothold.search_values.number is 'The number, or the time in epoch ms; null for any other value.';
comment on column foothold.search_values.started_at is 'Of the case: lists are by it.';

create index search_values_value on foothold.search_values (name, value, started_at desc, case_id desc);
create index search_values_number on foothold.search_values (name, number) where number is not null;
