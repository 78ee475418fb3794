-- Entries of journals as they are sealed, by case and revision.
-- Caller: AuditStore.readRanges. No locks. Index: journal_pkey, case by case.
-- $1 shard; for each range: $2 case id, $3 first revision, $4 last revision
select
  j.case_id, j.revision, j.kind, j.step, j.commit_id, j.tenant, j.definition_version, j.engine_version, j.credential_id,
  j.codec, j.source_id,
  floor(extract(epoch from j.at) * 1000000)::bigint as at_us,
  encode(j.body_hash, 'hex') as body_hash, sha256(j.body) = j.body_hash as is_intact,
  encode(j.sealed_as, 'hex') as sealed_as
from unnest($2::text[], $3::integer[], $4::integer[]) as r (case_id, first_revision, last_revision)
inner join foothold.journal as j
  on j.shard = $1::smallint and j.case_id = r.case_id and j.revision between r.first_revision and r.last_revision
order by j.case_id, j.revision;
