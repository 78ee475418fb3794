-- One page of cases, newest start first.
-- Caller: listCases. No locks. Index: cases_started.
-- $1 tenant, $2 case type, $3 states, null = any of each; $4, $5 start (epoch ms) and id of the case before the page,
-- null = from the newest; $6 rows at most
select
  c.shard, c.case_id, c.tenant, c.case_type, c.business_key, c.definition_version, c.engine_version,
  c.state, c.revision, c.lineage, c.summary, c.claim_id, c.holder_id,
  floor(extract(epoch from coalesce(c.due_at, c.resting_due_at)) * 1000)::bigint as due_at,
  floor(extract(epoch from c.held_since_at) * 1000)::bigint as held_since_at,
  floor(extract(epoch from c.started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at
from foothold.cases as c
where ($1::text is null or c.tenant = $1::text)
  and ($2::text is null or c.case_type = $2::text)
  and ($3::text[] is null or c.state = any ($3::text[]))
  and (c.started_at, c.case_id) < (
    coalesce(to_timestamp($4::float8 / 1000), 'infinity'::timestamptz), coalesce($5::text, '')
  )
order by c.started_at desc, c.case_id desc
limit $6::integer;
