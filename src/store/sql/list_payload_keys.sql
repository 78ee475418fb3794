-- The keys that payloads are sealed with, and the database's time.
-- Caller: KeyWatch and KeyStore. No locks. Reads a table of few rows.
select
  k.codec, k.key_id, k.state,
  floor(extract(epoch from k.first_used_at) * 1000)::bigint as first_used_at,
  floor(extract(epoch from k.used_at) * 1000)::bigint as used_at
from foothold.payload_keys as k
order by k.first_used_at, k.key_id;
