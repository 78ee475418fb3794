-- Erases what the inbox has of the events that a case was told or started by: subjects, lanes and texts of the events, headers
-- and bodies of their deliveries. What a late repeat is compared with stays.
-- Caller: ErasureStore.erase, after the case is locked and before its journal is erased. Lock order: as found; none of it is
-- worked on. Index: the primary keys; the work of events is read whole.
-- $1 shard, $2 case id, $3 what stands for a text
with {{events_of_case}},
works as (
  update foothold.inbox_work as w
  set lane = null, sentence = case when w.sentence is not null then $3::text end
  from events_of_case as e
  where w.shard = e.shard and w.event_id = e.event_id
),
events as (
  update foothold.inbox_events as t
  set subject = case when t.subject is not null then $3::text end
  from events_of_case as e
  where t.shard = e.shard and t.event_id = e.event_id
),
sights as (
  update foothold.inbox_sightings as s
  set reason = $3::text
  from events_of_case as e
  where s.shard = e.shard and s.event_id = e.event_id and s.reason is not null
),
pieces as (
  delete from foothold.delivery_parts as p
  using deliveries_of_case as d
  where p.shard = d.shard and p.delivery_id = d.delivery_id
)
update foothold.deliveries as t
set headers = '[]',
  body = null,
  body_kept = case when t.body_kept = 'same' then 'same' else 'deleted' end
from deliveries_of_case as d
where t.shard = d.shard and t.delivery_id = d.delivery_id;
