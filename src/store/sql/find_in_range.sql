-- One page of the cases that are found by a number in a range and meet all criteria, newest start first, as search_cases has
-- it. A corrected case may have several numbers in it.
-- Caller: listCases. No locks. Index: search_values_number, cases_pkey; it reads all that is in the range.
-- $1 to $24 as the part says; $25 name, $26 from and $27 to, null = without end; $28, $29 start (epoch ms) and id of the
-- case before the page, null = from the newest; $30 rows at most
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
where (c.shard, c.case_id) in (
    select v.shard, v.case_id
    from foothold.search_values as v
    where v.name = $25::text and v.number is not null
      and v.number between coalesce($26::float8, '-infinity'::float8) and coalesce($27::float8, 'infinity'::float8)
  )
  and {{meets_criteria}}
  and (c.started_at, c.case_id) < (
    coalesce(to_timestamp($28::float8 / 1000), 'infinity'::timestamptz), coalesce($29::text, '')
  )
order by c.started_at desc, c.case_id desc
limit $30::integer;
