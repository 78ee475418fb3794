-- Counts the cases that meet all criteria, up to a bound: meetsCriteria of core, in SQL, as search_cases has it.
-- Caller: countFound. No locks. Index: none, as many rows are read as it takes to find that many.
-- $1 to $24 as the part says; $25 the bound
select count(*)::integer as found
from (
  select from foothold.cases as c
  where {{meets_criteria}}
  limit $25::integer
) as met;
