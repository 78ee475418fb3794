-- Work in review, counted by who takes it and where it came from: countEventNeeds of core, in SQL. A test keeps the two equal.
-- Looks at so many pieces of work. Caller: InboxStore.countNeeds. No locks. Index: inbox_work_open.
-- $1 due after, ms; $2 pieces of work at most
with
reviewed as (
  select w.event_id, w.source, w.owner, w.error_class,
    floor(extract(epoch from w.changed_at) * 1000)::bigint as changed_at
  from foothold.inbox_work as w
  where w.state <> 'done' and w.state = 'in_review'
  limit $2::integer
),
looked as (
  select floor(extract(epoch from now()) * 1000)::bigint - $1::bigint as due_before, count(*)::integer as works from reviewed
)
select
  l.works, n.owner, n.source, n.events, n.causes, n.first_since_at, n.last_since_at, n.event_id, n.overdue,
  n.last_overdue_since_at
from looked as l
left join (
  select
    owner, source,
    count(distinct event_id)::integer as events,
    count(distinct error_class)::integer as causes,
    min(changed_at) as first_since_at,
    max(changed_at) as last_since_at,
    min(event_id collate "C") as event_id,
    count(distinct event_id) filter (where changed_at <= looked.due_before)::integer as overdue,
    max(changed_at) filter (where changed_at <= looked.due_before) as last_overdue_since_at
  from reviewed
  cross join looked
  group by owner, source
) as n on true
order by n.owner collate "C", n.source collate "C";
