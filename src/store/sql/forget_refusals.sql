-- Deletes refusals whose time is over.
-- Caller: forget. Lock order: refusals as found, skipping what is locked. Index: inbox_refusals_at, then the primary key.
-- $1 tenant, $2 source, $3 noted before, $4 at most
with old as (
  select r.shard, r.refusal_id
  from foothold.inbox_refusals as r
  where r.at < to_timestamp($3::float8 / 1000) and r.source = $2::text and r.tenant = $1::text
  limit $4::integer
  for no key update of r skip locked
)
delete from foothold.inbox_refusals as r
using old as o
where r.shard = o.shard and r.refusal_id = o.refusal_id
returning r.refusal_id;
