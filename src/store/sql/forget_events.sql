-- Deletes whole events whose time is over and that have no open work, with all that belongs to them.
-- Caller: forget. Lock order: events as found, skipping what is locked, then what belongs to them.
-- Index: inbox_events_source, then the primary keys, inbox_keys_event and inbox_sightings_event.
-- $1 tenant, $2 source, $3 last seen before, $4 at most
with old as (
  select e.shard, e.event_id, e.delivery_id
  from foothold.inbox_events as e
  where e.source = $2::text and e.tenant = $1::text and e.first_seen_at < to_timestamp($3::float8 / 1000)
    and e.last_seen_at < to_timestamp($3::float8 / 1000)
    and not exists (
      select from foothold.inbox_work as w
      where w.shard = e.shard and w.event_id = e.event_id and w.state not in ('done', 'ignored')
    )
  limit $4::integer
  for update of e skip locked
),
arrived as (
  select o.delivery_id from old as o
  union
  select s.reference
  from old as o
  join foothold.inbox_sightings as s on s.shard = o.shard and s.event_id = o.event_id
  where s.kind in ('repeat', 'different', 'listed')
),
work as (
  delete from foothold.inbox_work as w using old as o where w.shard = o.shard and w.event_id = o.event_id
),
keys as (
  delete from foothold.inbox_keys as k using old as o where k.event_id = o.event_id
),
sightings as (
  delete from foothold.inbox_sightings as s using old as o where s.shard = o.shard and s.event_id = o.event_id
),
parts as (
  delete from foothold.delivery_parts as p
  using arrived as o
  where p.shard = substring(o.delivery_id from 2 for 2)::smallint and p.delivery_id = o.delivery_id
),
deliveries as (
  delete from foothold.deliveries as d
  using arrived as o
  where d.shard = substring(o.delivery_id from 2 for 2)::smallint and d.delivery_id = o.delivery_id
)
delete from foothold.inbox_events as e
using old as o
where e.shard = o.shard and e.event_id = o.event_id
returning e.event_id;
