-- Events, newest first.
-- Caller: listEvents. Lock order: reads only. Index: inbox_events_seen; inbox_work_pkey for the states.
-- $1 tenant, $2 source, $3 type, $4 standing, $5 states of work: null = any; $6, $7 first seen at and id of the last one
-- of the page before, null = the first page; $8 at most
select
  e.event_id, e.tenant, e.source, e.event_type, e.subject, e.key_kind, e.further_keys, e.sightings, e.delivery_id,
  e.item_no, e.standing,
  floor(extract(epoch from e.occurred_at) * 1000)::bigint as occurred_at,
  floor(extract(epoch from e.first_seen_at) * 1000)::bigint as first_seen_at,
  floor(extract(epoch from e.last_seen_at) * 1000)::bigint as last_seen_at,
  extract(epoch from e.first_seen_at)::text as place
from foothold.inbox_events as e
where ($1::text is null or e.tenant = $1::text)
  and ($2::text is null or e.source = $2::text)
  and ($3::text is null or e.event_type = $3::text)
  and ($4::text is null or e.standing = $4::text)
  and (
    $5::text[] is null
    or exists (
      select from foothold.inbox_work as w
      where w.shard = e.shard and w.event_id = e.event_id and w.state = any($5::text[])
    )
  )
  and ($6::text is null or (e.first_seen_at, e.event_id) < (to_timestamp($6::text::float8), $7::text))
order by e.first_seen_at desc, e.event_id desc
limit $8::integer;
