-- Ignores work of an event: each piece that still stands as it was seen. Returns the consumers.
-- Caller: ignoreWork. Lock order: work of one event, by consumer. Index: inbox_work_pkey.
-- $1 shard, $2 event, $3 consumers, $4 states and $5 claims as they were seen, null = no claim; $6 sentence
update foothold.inbox_work as w
set state = 'ignored',
  due_at = null,
  claim_id = null,
  holder_id = null,
  sentence = $6::text,
  error_class = null,
  waits_shard = null,
  waits_tenant = null,
  waits_case_type = null,
  waits_key = null,
  changed_at = now()
from (
  select o.shard, o.event_id, o.consumer
  from foothold.inbox_work as o
  join unnest($3::text[], $4::text[], $5::text[]) as s (consumer, state, claim_id)
    on s.consumer = o.consumer and s.state = o.state and s.claim_id is not distinct from o.claim_id
  where o.shard = $1::smallint and o.event_id = $2::text
  order by o.consumer
  for no key update of o
) as f
where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
returning w.consumer;
