-- The lineage of a journal, which tells it from one that took its revisions after a failover (core/lineage.ts).
-- Readable from: 2
-- An older engine would append without carrying it on.
-- Caller: migrate. Lock order: cases. The default is a constant, so no row is rewritten.
--
-- Cases that exist begin with the lineage of an empty journal and go on from there: what it must tell apart is what comes
-- from now on.
alter table foothold.cases add column lineage text collate "C" not null default '0000000000000000';
alter table foothold.cases alter column lineage drop default;

comment on column foothold.cases.lineage is
  'Digest of the ids of all commits in the journal, in order. The guard of a holder''s commit, with its claim.';
