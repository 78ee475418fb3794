-- Notes a sight of an event, or what a person did about it.
-- Caller: takeKey, reopenWork and ignoreWork. Lock order: a new row. Index: none.
-- $1 shard, $2 event, $3 kind, $4 reference, $5 by, $6 reason
insert into foothold.inbox_sightings (shard, event_id, at, kind, reference, by, reason)
values ($1::smallint, $2::text, now(), $3::text, $4::text, $5::text, $6::text);
