-- Opens work of an event again and makes what is missing; what is claimed stays. Returns the consumers.
-- Caller: reopenWork. Lock order: work of one event, by consumer. Index: inbox_work_pkey.
-- $1 shard, $2 event, $3 consumers, $4 lanes, $5 owners, $6 within, ms
insert into foothold.inbox_work as w (
  shard, event_id, consumer, tenant, source, event_type, lane, state, due_at, deadline_at, within_ms, owner, attempts,
  losses, case_ids, changed_at
)
select
  e.shard, e.event_id, n.consumer, e.tenant, e.source, e.event_type, n.lane, 'ready', now(),
  now() + n.within_ms * interval '1 millisecond', n.within_ms, n.owner, 0, 0, '[]', now()
from foothold.inbox_events as e
cross join unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) as n (consumer, lane, owner, within_ms)
where e.shard = $1::smallint and e.event_id = $2::text
order by n.consumer
on conflict (shard, event_id, consumer) do update
set state = 'ready',
  due_at = now(),
  deadline_at = excluded.deadline_at,
  attempts = 0,
  losses = 0,
  sentence = null,
  error_class = null,
  waits_shard = null,
  waits_tenant = null,
  waits_case_type = null,
  waits_key = null,
  changed_at = now()
where w.state <> 'claimed'
returning consumer;
