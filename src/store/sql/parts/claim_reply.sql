-- What a claim gives: one row for each entry, summary and snapshot only in the first row of a case.
-- In: claim_taken, claim_in_places.
-- $8 fold version
select
  c.shard, c.case_id, c.tenant, c.case_type, c.business_key, c.definition_version, c.engine_version,
  c.state, c.revision, c.lineage, c.claim_id, c.holder_id,
  case when row_number() over first = 1 then c.summary end as summary,
  floor(extract(epoch from coalesce(c.due_at, c.resting_due_at)) * 1000)::bigint as due_at,
  floor(extract(epoch from c.held_since_at) * 1000)::bigint as held_since_at,
  floor(extract(epoch from c.started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at,
  floor(extract(epoch from now()) * 1000)::bigint as now,
  (select case_type from last_shared) as shared_to_type,
  (select tenant from last_shared) as shared_to_tenant,
  s.revision as snapshot_revision,
  case when row_number() over first = 1 then s.lineage end as snapshot_lineage,
  case when row_number() over first = 1 then s.codec end as snapshot_codec,
  case when row_number() over first = 1 then s.body end as snapshot_body,
  case when row_number() over first = 1 then sha256(s.body) = s.body_hash end as snapshot_is_intact,
  j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact
from replied as c
left join foothold.snapshots as s
  on s.shard = c.shard and s.case_id = c.case_id and s.fold_version = $8::integer
left join foothold.journal as j
  on j.shard = c.shard and j.case_id = c.case_id and j.revision > coalesce(s.revision, 0)
window first as (partition by c.shard, c.case_id order by j.revision)
order by c.shard, c.case_id, j.revision
