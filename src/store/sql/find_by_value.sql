-- One page of the cases that are found by a value and meet all criteria, newest start first, as search_cases has it.
-- Caller: listCases. No locks. Index: search_values_value, cases_pkey.
-- $1 to $24 as the part says; $25 name and $26 value; $27, $28 start (epoch ms) and id of the case before the page, null =
-- from the newest; $29 rows at most
select
  c.shard, c.case_id, c.tenant, c.case_type, c.business_key, c.definition_version, c.engine_version,
  c.state, c.revision, c.lineage, c.summary, c.claim_id, c.holder_id,
  floor(extract(epoch from coalesce(c.due_at, c.resting_due_at)) * 1000)::bigint as due_at,
  floor(extract(epoch from c.held_since_at) * 1000)::bigint as held_since_at,
  floor(extract(epoch from c.started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at
from foothold.search_values as v
join foothold.cases as c on c.shard = v.shard and c.case_id = v.case_id
where v.name = $25::text and v.value = $26::text
  and (v.started_at, v.case_id) < (
    coalesce(to_timestamp($27::float8 / 1000), 'infinity'::timestamptz), coalesce($28::text, '')
  )
  and {{meets_criteria}}
order by v.started_at desc, v.case_id desc
limit $29::integer;
