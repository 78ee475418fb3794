-- Frees claims that are over or whose holder has ended. The third loss of a round goes to review: whatever it is, it ends
-- the processes that try it.
-- Caller: freeWork. Lock order: work in the order of due_at, skipping what is locked. Index: inbox_work_claimed.
-- $1 holders that ended, $2 losses allowed, $3 at most
update foothold.inbox_work as w
set state = case when w.losses + 1 >= $2::integer then 'in_review' else 'ready' end,
  due_at = case when w.losses + 1 >= $2::integer then null else now() end,
  losses = w.losses + 1,
  claim_id = null,
  holder_id = null,
  sentence = 'Whoever worked on it was lost ' || (w.losses + 1) || ' times, without an error.',
  error_class = 'lost',
  changed_at = now()
from (
  select shard, event_id, consumer
  from foothold.inbox_work
  where state = 'claimed' and (due_at <= now() or holder_id = any($1::text[]))
  order by due_at
  limit $3::integer
  for no key update skip locked
) as f
where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
returning w.event_id;
