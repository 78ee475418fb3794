-- How many open cases stand at which step, by type and by state as people read it: countSteps of core, in SQL. A test keeps
-- the two equal. Looks at so many cases of each of five kinds, which overlap nowhere; ended ones are not looked at.
-- Caller: SampleStore.countSteps. No locks. Index: cases_review, cases_due, cases_open_ended, cases_paused, cases_claimed.
-- $1 to $5 as readable_state says; $6 cases of a kind at most; $7 counts at most
with
looked as (
  (
    select 1 as kind, c.*
    from foothold.cases as c
    where c.has_review and c.state not in ('claimed', 'done', 'canceled')
    order by c.started_at desc, c.case_id desc
    limit $6::integer
  )
  union all
  (
    select 2, c.*
    from foothold.cases as c
    where c.state in ('ready', 'waiting', 'paused') and c.due_at is not null and not c.has_review
    order by c.due_at
    limit $6::integer
  )
  union all
  (
    select 3, c.*
    from foothold.cases as c
    where c.state = 'waiting' and c.due_at is null and not c.has_review
    order by c.started_at
    limit $6::integer
  )
  union all
  (
    select 4, c.*
    from foothold.cases as c
    where c.state = 'paused' and c.due_at is null and not c.has_review
    order by c.started_at
    limit $6::integer
  )
  union all
  (
    select 5, c.*
    from foothold.cases as c
    where c.state = 'claimed'
    limit $6::integer
  )
),
stood as (
  select
    c.kind, c.case_type, at.step, at.number, {{readable_state}} as reading,
    coalesce(c.claimed_at, c.changed_at) as since_at
  from looked as c
  left join lateral (
    select standing.step, row_number() over (order by standing.step collate "C") as number
    from {{steps_stood_at}}
    group by standing.step
  ) as at on true
)
select
  s.kind, s.case_type, s.step, s.reading, count(*)::integer as cases,
  -- A case that stands at several steps is one case.
  count(*) filter (where s.number is null or s.number = 1)::integer as once,
  floor(extract(epoch from min(s.since_at)) * 1000)::bigint as oldest_at
from stood as s
group by s.kind, s.case_type, s.step, s.reading
order by cases desc, s.case_type, s.step, s.reading, s.kind
limit $7::integer;
