-- What a case was told or started by, and what else told the same: by $1 shard and $2 case id.
told as (
  select w.event_id
  from foothold.inbox_work as w
  where w.case_ids @> jsonb_build_array($2::text)
  union
  select substring(j.source_id from 'e[0-9]{2}-[0-9a-f]{32}$')
  from foothold.journal as j
  where j.shard = $1::smallint and j.case_id = $2::text and j.source_id like 'inbox:%'
),
known as (
  select t.event_id from told as t where t.event_id is not null
  union
  select s.reference
  from foothold.inbox_sightings as s
  join told as t on t.event_id = s.event_id
  where s.kind in ('sameFact', 'sameBody')
),
events_of_case as (
  select e.shard, e.event_id, e.delivery_id
  from foothold.inbox_events as e
  join known as k on e.event_id = k.event_id and e.shard = substring(k.event_id from 2 for 2)::smallint
),
delivered as (
  select e.delivery_id from events_of_case as e
  union
  select s.reference
  from foothold.inbox_sightings as s
  join events_of_case as e on e.shard = s.shard and e.event_id = s.event_id
  where s.kind in ('repeat', 'different', 'listed')
),
deliveries_of_case as (
  select d.shard, d.delivery_id, d.body_kept
  from foothold.deliveries as d
  join delivered as k on d.delivery_id = k.delivery_id and d.shard = substring(k.delivery_id from 2 for 2)::smallint
)
