-- How many cases are held back, by destination and credential. Looks at 100,000 waiting cases at most, soonest due first.
-- Caller: countHeld. No locks. Index: cases_due.
-- $1 only what is due within, ms
select
  w ->> 'destination' as destination,
  w ->> 'credentialId' as credential_id,
  count(distinct c.case_id)::integer as cases,
  floor(extract(epoch from min(c.due_at)) * 1000)::bigint as next_due_at
from (
  select case_id, due_at, summary
  from foothold.cases
  where state in ('ready', 'waiting', 'paused')
    and state = 'waiting'
    and due_at <= now() + $1::integer * interval '1 millisecond'
  order by due_at
  limit 100000
) as c
cross join lateral jsonb_array_elements(c.summary -> 'waits') as w
where w ->> 'kind' in ('held', 'access')
group by 1, 2
order by 1, 2;
