-- Counts the cases that are found by a value and meet all criteria, up to a bound, as find_by_value lists them.
-- Caller: countFound. No locks. Index: search_values_value, cases_pkey.
-- $1 to $20 as the part says; $21 name and $22 value; $23 the bound
select count(*)::integer as found
from (
  select
  from foothold.search_values as v
  join foothold.cases as c on c.shard = v.shard and c.case_id = v.case_id
  where v.name = $21::text and v.value = $22::text and {{meets_criteria}}
  limit $23::integer
) as met;
