-- Seals of a shard after a number, in order.
-- Caller: AuditStore.readSeals. No locks. Index: seals_pkey.
-- $1 shard, $2 number of the seal before, $3 seals at most
select
  s.shard, s.seal_no, encode(s.previous, 'hex') as previous, encode(s.hash, 'hex') as hash, s.body,
  floor(extract(epoch from s.sealed_at) * 1000)::bigint as sealed_at
from foothold.seals as s
where s.shard = $1::smallint and s.seal_no > $2::integer
order by s.seal_no
limit $3::integer;
