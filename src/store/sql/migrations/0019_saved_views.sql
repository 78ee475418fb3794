-- Lists that people keep under a name of their own.
-- Readable from: 1
-- An engine that does not know the table keeps none.
-- Caller: migrate. Lock order: a new table only.

create table foothold.saved_views (
  person_id text collate "C" not null,
  name text collate "C" not null,
  query text not null,
  changed_at timestamptz not null,
  constraint saved_views_pkey primary key (person_id, name)
);

comment on table foothold.saved_views is 'Lists of cases that people keep under a name, each for themselves.';
comment on column foothold.saved_views.person_id is 'Whose it is; `-` where nobody keeps people.';
comment on column foothold.saved_views.query is 'Filters, as the query of an address of the console says them.';
