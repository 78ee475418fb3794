-- When the earliest case of these types that is not due yet will be; null = none. Also the database's time.
-- Caller: claimDue, when fewer cases were due than wanted. No locks. Index: cases_due_of_type.
-- $1 now, epoch ms, null = the database's; $2 engine version; $3, $4 case types and their versions
select
  floor(extract(epoch from now()) * 1000)::bigint as now,
  (
    select floor(extract(epoch from min(first.due_at)) * 1000)::bigint
    from (values (1::smallint), (0::smallint), (-1::smallint)) as r (rank)
    cross join unnest($3::text[]) as k (case_type)
    cross join lateral (
      select c.due_at
      from foothold.cases as c
      -- As in due_of_kind, but what is not due yet.
      where (c.priority, c.case_type, c.due_at)
          > (r.rank, k.case_type, coalesce(to_timestamp($1::float8 / 1000), now()))
        and (c.priority, c.case_type, c.due_at) < (r.rank, k.case_type, 'infinity'::timestamptz)
        and {{takeable}}
      order by c.priority, c.case_type, c.due_at
      limit 1
    ) as first
  ) as next_due_at;
