-- Stores a snapshot in place of an earlier one. One of a later fold stays, so that two engines do not take turns.
-- Caller: changeCase under the lock of its case, and claimDue. Lock order: one snapshot, after its case.
-- Index: snapshots_pkey.
-- $1 shard, $2 case id, $3 revision, $4 lineage, $5 fold version, $6 body, $7 how it is written
insert into foothold.snapshots as s (shard, case_id, revision, lineage, fold_version, codec, body, body_hash)
values ($1::smallint, $2::text, $3::integer, $4::text, $5::integer, $7::text, $6::bytea, sha256($6::bytea))
on conflict (shard, case_id) do update
set revision = excluded.revision,
  lineage = excluded.lineage,
  fold_version = excluded.fold_version,
  codec = excluded.codec,
  body = excluded.body,
  body_hash = excluded.body_hash
where s.fold_version <= excluded.fold_version;
