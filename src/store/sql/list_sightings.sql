-- What else was seen of an event, newest first.
-- Caller: showEvent. Lock order: reads only. Index: inbox_sightings_event.
-- $1 shard, $2 event, $3 at most
select kind, reference, by, reason, floor(extract(epoch from at) * 1000)::bigint as at
from foothold.inbox_sightings
where shard = $1::smallint and event_id = $2::text
order by inbox_sightings.at desc
limit $3::integer;
