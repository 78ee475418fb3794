-- All work of some events.
-- Caller: showEvent and listEvents. Lock order: reads only. Index: inbox_work_pkey.
-- $1 shards, $2 events
select
  w.event_id, w.consumer, w.tenant, w.source, w.event_type, w.state, w.owner, w.attempts, w.losses, w.claim_id,
  w.holder_id, w.sentence, w.error_class, w.case_ids, w.waits_shard, w.waits_tenant, w.waits_case_type, w.waits_key,
  floor(extract(epoch from w.due_at) * 1000)::bigint as due_at,
  floor(extract(epoch from w.deadline_at) * 1000)::bigint as deadline_at,
  floor(extract(epoch from w.changed_at) * 1000)::bigint as changed_at
from unnest($1::smallint[], $2::text[]) as i (shard, event_id)
join foothold.inbox_work as w on w.shard = i.shard and w.event_id = i.event_id
order by w.event_id, w.consumer;
