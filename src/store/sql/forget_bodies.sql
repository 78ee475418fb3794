-- Deletes bodies whose time is over and that no open work needs.
-- Caller: forget. Lock order: deliveries as found, skipping what is locked, then their parts. Index: deliveries_received.
-- $1 tenant, $2 source, $3 received before, $4 at most
with old as (
  select d.shard, d.delivery_id
  from foothold.deliveries as d
  where d.source = $2::text and d.tenant = $1::text and d.received_at < to_timestamp($3::float8 / 1000)
    and d.body_kept in ('here', 'parts')
    and not exists (
      select from foothold.inbox_events as e
      join foothold.inbox_work as w on w.shard = e.shard and w.event_id = e.event_id
      where e.source = d.source and e.tenant = d.tenant and e.first_seen_at = d.received_at
        and e.delivery_id = d.delivery_id and w.state not in ('done', 'ignored')
    )
  limit $4::integer
  for no key update of d skip locked
),
parts as (
  delete from foothold.delivery_parts as p
  using old as o
  where p.shard = o.shard and p.delivery_id = o.delivery_id
)
update foothold.deliveries as d
set body = null, body_kept = 'deleted'
from old as o
where d.shard = o.shard and d.delivery_id = o.delivery_id
returning d.delivery_id;
