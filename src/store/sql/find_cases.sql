-- The cases that a key names: the newest with it as business key, and those with it as a further key that was linked.
-- Caller: findCases. Lock order: reads only. Index: cases_business_key, case_keys_pkey.
-- $1 shard, $2 key, $3 case type, $4 tenant, $5 at most
(
  select c.case_id
  from foothold.cases as c
  where c.shard = $1::smallint and c.business_key = $2::text and c.case_type = $3::text and c.tenant = $4::text
  order by c.started_at desc, c.case_id desc
  limit 1
)
union
select k.case_id
from foothold.case_keys as k
where k.shard = $1::smallint and k.key = $2::text and k.case_type = $3::text and k.tenant = $4::text
order by case_id
limit $5::integer;
