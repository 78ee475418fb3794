-- Counts the cases that are found by a value and meet all criteria, up to a bound, as find_by_value lists them.
-- Caller: countFound. No locks. Index: search_values_value, cases_pkey.
-- $1 to $24 as the part says; $25 name and $26 value; $27 the bound
select count(*)::integer as found
from (
  select
  from foothold.search_values as v
  join foothold.cases as c on c.shard = v.shard and c.case_id = v.case_id
  where v.name = $25::text and v.value = $26::text and {{meets_criteria}}
  limit $27::integer
) as met;
