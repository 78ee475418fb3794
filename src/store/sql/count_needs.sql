-- What people are needed for, counted by who has to act on what: countNeeds of core, in SQL. A test keeps the two equal.
-- Looks at so many cases with a review, at as many that wait, and at claimed ones that do.
-- Caller: NoticeStore.countNeeds. No locks. Index: cases_review, cases_due, cases_open_ended, cases_claimed.
-- $1 due after, ms; $2 cases at most; $3 groups at most
with
moment as (
  select floor(extract(epoch from now()) * 1000)::bigint as now
),
reviewed as (
  select c.case_id, c.case_type, c.state, c.changed_at, c.summary
  from foothold.cases as c
  where c.has_review
  order by c.started_at desc, c.case_id desc
  limit $2::integer
),
waiting as (
  (
    select c.case_id, c.case_type, c.state, c.changed_at, c.summary
    from (values (1::smallint), (0::smallint), (-1::smallint)) as r (rank)
    cross join lateral (
      select *
      from foothold.cases as c
      where c.priority = r.rank
        and c.state in ('ready', 'waiting', 'paused') and c.state = 'waiting' and c.due_at is not null
      order by c.due_at
      limit $2::integer
    ) as c
    order by c.due_at
    limit $2::integer
  )
  union all
  (
    select c.case_id, c.case_type, c.state, c.changed_at, c.summary
    from foothold.cases as c
    where c.state = 'waiting' and c.due_at is null
    order by c.started_at
    limit $2::integer
  )
  union all
  (
    select c.case_id, c.case_type, c.state, c.changed_at, c.summary
    from foothold.cases as c
    where c.state = 'claimed' and c.resting_state = 'waiting'
    limit $2::integer
  )
),
needs as (
  select
    r.value ->> 'owner' as owner, 'review' as kind, r.value ->> 'reason' as reason,
    c.case_type, r.value ->> 'step' as step, p.value ->> 'destination' as destination, null as credential_id,
    c.case_id, p.value ->> 'cause' as cause, since.at as since_at,
    coalesce((r.value #>> '{window,dueAt}')::bigint, since.at + $1::bigint) as due_at,
    (r.value ->> 'nextCheckAllowedAt')::bigint as next_check_at, null::bigint as remind_at,
    c.state = 'paused' or jsonb_typeof(c.summary -> 'repair') = 'object' as is_held
  from reviewed as c
  cross join lateral jsonb_array_elements(c.summary -> 'reviews') as r (value)
  left join lateral (
    select problems.value
    from jsonb_array_elements(c.summary -> 'problems') with ordinality as problems (value, number)
    where problems.value ->> 'step' = r.value ->> 'step'
    order by problems.number
    limit 1
  ) as p on true
  cross join lateral (
    select coalesce(
      (p.value ->> 'sinceAt')::bigint, floor(extract(epoch from c.changed_at) * 1000)::bigint
    ) as at
  ) as since
  union all
  select
    asked.owner, w.value ->> 'kind', null,
    c.case_type, w.value ->> 'step', w.value ->> 'destination', w.value ->> 'credentialId',
    c.case_id, null, asked.since_at, asked.since_at + $1::bigint, null,
    case
      when reminders.due >= 1
        then (w.value #>> '{remind,askedAt}')::bigint + reminders.due * (w.value #>> '{remind,everyMs}')::bigint
    end,
    jsonb_typeof(c.summary -> 'repair') = 'object'
  from waiting as c
  cross join moment
  cross join lateral jsonb_array_elements(c.summary -> 'waits') as w (value)
  cross join lateral (select floor(extract(epoch from c.changed_at) * 1000)::bigint as at) as since
  cross join lateral (
    select coalesce(w.value ->> 'owner', w.value ->> 'by') as owner, since.at as since_at
    union all
    select w.value #>> '{escalation,to}', greatest(since.at, (w.value #>> '{escalation,at}')::bigint)
    where (w.value #>> '{escalation,at}')::bigint <= moment.now
  ) as asked
  cross join lateral (
    select least(
      (moment.now - (w.value #>> '{remind,askedAt}')::bigint) / (w.value #>> '{remind,everyMs}')::bigint,
      (w.value #>> '{remind,times}')::bigint
    ) as due
  ) as reminders
  where w.value ->> 'kind' in ('access', 'approval')
),
looked as (
  select
    (select count(*) from reviewed) as reviewed,
    (select count(*) from waiting) as waiting,
    (select now from moment) as now
)
select
  l.now, l.reviewed::integer as reviewed, l.waiting::integer as waiting,
  n.owner, n.kind, n.reason, n.case_type, n.step, n.destination, n.credential_id,
  n.held, n.cases, n.causes, n.first_since_at, n.last_since_at, n.first_due_at, n.next_check_at, n.last_remind_at, n.case_id,
  n.overdue, n.last_overdue_at
from looked as l
left join (
  select
    owner, kind, reason, case_type, step, destination, credential_id,
    count(distinct case_id) filter (where is_held)::integer as held,
    count(distinct case_id) filter (where not is_held)::integer as cases,
    count(distinct cause) filter (where not is_held)::integer as causes,
    min(since_at) filter (where not is_held) as first_since_at,
    max(since_at) filter (where not is_held) as last_since_at,
    min(due_at) filter (where not is_held) as first_due_at,
    min(next_check_at) filter (where not is_held) as next_check_at,
    max(remind_at) filter (where not is_held) as last_remind_at,
    min(case_id collate "C") filter (where not is_held) as case_id,
    count(distinct case_id) filter (where not is_held and due_at <= looked.now)::integer as overdue,
    max(due_at) filter (where not is_held and due_at <= looked.now) as last_overdue_at
  from needs
  cross join looked
  group by owner, kind, reason, case_type, step, destination, credential_id
  order by cases desc, owner, kind, reason, case_type, step, destination, credential_id
  limit $3::integer
) as n on true;
