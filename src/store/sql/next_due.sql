-- When the earliest case of these types that is not due yet will be; null = none. Also the database's time.
-- Caller: claimDue, when fewer cases were due than wanted. No locks. Index: cases_due.
-- $1 now, epoch ms, null = the database's; $2 engine version; $3, $4 case types and their versions
select
  floor(extract(epoch from now()) * 1000)::bigint as now,
  (
    select floor(extract(epoch from min(first.due_at)) * 1000)::bigint
    from (values (1::smallint), (0::smallint), (-1::smallint)) as r (rank)
    cross join lateral (
      select c.due_at
      from foothold.cases as c
      where c.priority = r.rank
      and c.state in ('ready', 'waiting', 'paused')
      and c.due_at > coalesce(to_timestamp($1::float8 / 1000), now())
      and c.engine_version <= $2::integer
      and c.definition_version <= (
        select max(t.version)
        from unnest($3::text[], $4::integer[]) as t (name, version)
        where t.name = c.case_type
      )
      order by c.due_at
      limit 1
    ) as first
  ) as next_due_at;
