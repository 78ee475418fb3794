-- Gives back what a holder has claimed without knowing: a reply was lost, or a failover brought it back. No loss: nobody
-- works under such a claim.
-- Caller: releaseWork. Lock order: work in the order of due_at. Index: inbox_work_claimed.
-- $1 holder, $2 the claims that it knows
update foothold.inbox_work as w
set state = 'ready',
  due_at = now(),
  claim_id = null,
  holder_id = null,
  changed_at = now()
from (
  select shard, event_id, consumer
  from foothold.inbox_work
  where state = 'claimed' and holder_id = $1::text and claim_id <> all($2::text[])
  order by due_at
  for no key update
) as f
where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
returning w.event_id;
