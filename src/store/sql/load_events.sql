-- Events by their ids.
-- Caller: claimWork and showEvent. Lock order: reads only. Index: inbox_events_pkey.
-- $1 shards, $2 events
select
  e.event_id, e.tenant, e.source, e.event_type, e.subject, e.key_kind, e.further_keys, e.sightings, e.delivery_id,
  e.item_no, e.standing,
  floor(extract(epoch from e.occurred_at) * 1000)::bigint as occurred_at,
  floor(extract(epoch from e.first_seen_at) * 1000)::bigint as first_seen_at,
  floor(extract(epoch from e.last_seen_at) * 1000)::bigint as last_seen_at
from unnest($1::smallint[], $2::text[]) as i (shard, event_id)
join foothold.inbox_events as e on e.shard = i.shard and e.event_id = i.event_id;
