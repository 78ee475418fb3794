-- Reads a case with its journal: one row for each entry, the summary only in the first. One statement, so row and
-- journal are of the same moment.
-- Caller: loadCase and claimDue. No locks. Index: cases_pkey and journal_pkey.
-- $1 shard, $2 case id
select
  c.shard, c.case_id, c.tenant, c.case_type, c.business_key, c.definition_version, c.engine_version,
  c.state, c.revision, c.lineage, c.claim_id, c.holder_id,
  case when row_number() over (order by j.revision) = 1 then c.summary end as summary,
  floor(extract(epoch from coalesce(c.due_at, c.resting_due_at)) * 1000)::bigint as due_at,
  floor(extract(epoch from c.held_since_at) * 1000)::bigint as held_since_at,
  floor(extract(epoch from c.started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at,
  j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact
from foothold.cases as c
left join foothold.journal as j on j.shard = c.shard and j.case_id = c.case_id
where c.shard = $1::smallint and c.case_id = $2::text
order by j.revision;
