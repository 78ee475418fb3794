-- How long a source keeps what it took in, so that it holds when the source is declared no more.
-- Readable from: 1
-- An engine that does not know the columns leaves them as they are.
-- Caller: migrate. Lock order: one table of few rows.

alter table foothold.inbox_sources add column keep_bodies_ms bigint;
alter table foothold.inbox_sources add column remember_ms bigint;

comment on table foothold.inbox_sources is
  'How far the list of a provider was read, and how long a source keeps what it took in.';
comment on column foothold.inbox_sources.keep_bodies_ms is
  'As the source was declared last; it holds on when it is declared no more. Null = never noted.';
comment on column foothold.inbox_sources.remember_ms is 'The same of whole events.';
