-- Puts work whose deadline has passed in review.
-- Caller: expireWork. Lock order: work in the order of deadline_at, skipping what is locked. Index: inbox_work_deadline.
-- $1 at most
update foothold.inbox_work as w
set state = 'in_review',
  due_at = null,
  sentence = 'It was not done in time. ' || coalesce(w.sentence, 'No worker has taken it.'),
  error_class = coalesce(w.error_class, 'overdue'),
  changed_at = now()
from (
  select shard, event_id, consumer
  from foothold.inbox_work
  where state in ('ready', 'waiting') and deadline_at <= now()
  order by deadline_at
  limit $1::integer
  for no key update skip locked
) as f
where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
returning w.event_id;
