-- Makes a key an event's own, or gives the event that has it.
-- Caller: takeKey. Lock order: one key. Index: inbox_keys_pkey.
-- $1 shard, $2 hash, $3 kind, $4 event
insert into foothold.inbox_keys as k (shard, key_hash, kind, event_id, taken_at)
values ($1::smallint, $2::text, $3::text, $4::text, now())
on conflict (shard, key_hash) do update set event_id = k.event_id
returning event_id;
