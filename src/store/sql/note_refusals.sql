-- Notes refused requests.
-- Caller: refuse. Lock order: new rows only. Index: none.
-- $1 shards, $2 ids, $3 tenants, $4 sources, $5 at, $6 reasons, $7 sizes, $8 headers, $9 lost, $10 counts
insert into foothold.inbox_refusals (shard, refusal_id, tenant, source, at, reason, body_bytes, headers, is_lost, count)
select r.shard, r.refusal_id, r.tenant, r.source, to_timestamp(r.at / 1000), r.reason, r.body_bytes, r.headers, r.is_lost, r.count
from unnest(
  $1::smallint[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::text[], $7::bigint[], $8::jsonb[], $9::boolean[],
  $10::integer[]
) as r (shard, refusal_id, tenant, source, at, reason, body_bytes, headers, is_lost, count)
on conflict do nothing;
