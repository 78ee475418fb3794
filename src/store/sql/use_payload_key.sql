-- Says that a key seals payloads from now on, or still does. With the first one the schema can be read no more by engines
-- that do not know of keys.
-- Caller: KeyWatch. Lock order: its own row, then schema_info. Index: payload_keys_pkey.
-- $1 codec, $2 key id
with used as (
  insert into foothold.payload_keys as k (codec, key_id, state, first_used_at, used_at)
  values ($1::text, $2::text, 'inUse', now(), now())
  on conflict (codec, key_id) do update set used_at = now(), state = 'inUse'
  returning k.first_used_at = k.used_at as is_new
)
update foothold.schema_info as s
set readable_from = greatest(s.readable_from, 24)
where s.readable_from < 24 and exists (select from used as u where u.is_new);
