-- Counts the cases that are found by a number in a range and meet all criteria, up to a bound, as find_in_range lists them.
-- Caller: countFound. No locks. Index: search_values_number, cases_pkey.
-- $1 to $20 as the part says; $21 name, $22 from and $23 to, null = without end; $24 the bound
select count(*)::integer as found
from (
  select
  from foothold.cases as c
  where (c.shard, c.case_id) in (
      select v.shard, v.case_id
      from foothold.search_values as v
      where v.name = $21::text and v.number is not null
        and v.number between coalesce($22::float8, '-infinity'::float8) and coalesce($23::float8, 'infinity'::float8)
    )
    and {{meets_criteria}}
  limit $24::integer
) as met;
