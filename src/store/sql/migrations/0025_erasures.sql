-- Erasing the data of a case while its seals still hold.
-- Readable from: 1
-- An engine that does not know the columns erases nothing; its `audit verify` takes for edited what another one erased.
-- Caller: migrate. Lock order: journal, then audit, each for its own time.
set local lock_timeout = '10s';
alter table foothold.journal add column sealed_as foothold.body_hash;
alter table foothold.audit add column sealed_as foothold.body_hash;

comment on column foothold.journal.sealed_as is
  'The hash that the row was sealed with, before its contents were erased. Null = they were not.';
comment on column foothold.audit.sealed_as is
  'The hash that the row was sealed with, before its contents were erased. Null = they were not.';
