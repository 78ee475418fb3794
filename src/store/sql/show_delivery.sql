-- One delivery without its bytes.
-- Caller: showEvent. Lock order: reads only. Index: deliveries_pkey.
-- $1 shard, $2 delivery
select
  delivery_id, tenant, source, how, scheme, secret_id, headers, body_bytes, encode(body_hash, 'hex') as body_hash, body_kept,
  floor(extract(epoch from received_at) * 1000)::bigint as received_at,
  floor(extract(epoch from signed_at) * 1000)::bigint as signed_at
from foothold.deliveries
where shard = $1::smallint and delivery_id = $2::text;
