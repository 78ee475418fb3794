-- Looks through cases, in the order of shard and id, for those with entries that are not sealed. Returns these and the last
-- one looked at, each with the number of cases that were looked at. It compares each case's own revision with what was
-- sealed, so it misses nothing that was committed late.
-- Caller: AuditStore.findUnsealed. No locks. Index: cases_pkey, sealed_cases_pkey.
-- $1, $2 shard and id of the case before, null = from the first; $3 cases at most
with looked_at as (
  select c.shard, c.case_id, c.revision
  from foothold.cases as c
  where (c.shard, c.case_id) > (coalesce($1::smallint, -1::smallint), coalesce($2::text, ''))
  order by c.shard, c.case_id
  limit $3::integer
),
last_one as (
  select shard, case_id, count(*) over ()::integer as looked_at
  from looked_at
  order by shard desc, case_id desc
  limit 1
)
select c.shard, c.case_id, c.revision, coalesce(s.revision, 0) as sealed_revision, l.looked_at
from looked_at as c
cross join last_one as l
left join foothold.sealed_cases as s on s.shard = c.shard and s.case_id = c.case_id
where c.revision > coalesce(s.revision, 0) or (c.shard = l.shard and c.case_id = l.case_id)
order by c.shard, c.case_id;
