-- Counts the cases that are found by a number in a range and meet all criteria, up to a bound, as find_in_range lists them.
-- Caller: countFound. No locks. Index: search_values_number, cases_pkey.
-- $1 to $24 as the part says; $25 name, $26 from and $27 to, null = without end; $28 the bound
select count(*)::integer as found
from (
  select
  from foothold.cases as c
  where (c.shard, c.case_id) in (
      select v.shard, v.case_id
      from foothold.search_values as v
      where v.name = $25::text and v.number is not null
        and v.number between coalesce($26::float8, '-infinity'::float8) and coalesce($27::float8, 'infinity'::float8)
    )
    and {{meets_criteria}}
  limit $28::integer
) as met;
