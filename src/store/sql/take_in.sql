-- Stores deliveries with their events and their work. An event that is there gets a sighting; work that is missing is
-- made, whether the event is new or not. Returns one row for each event.
-- Caller: takeIn. Lock order: events by shard and id, as the caller has sorted them, then their work.
-- Index: the primary keys.
-- Deliveries: $1 shards, $2 ids, $3 tenants, $4 sources, $5 received at, $6 how, $7 schemes, $8 secrets, $9 signed at,
-- $10 headers, $11 sizes of the bodies, $12 hashes, $13 kept, $14 all bodies one after another, $15 where each begins, from 1.
-- Events: $16 number of its delivery, $17 shards, $18 ids, $19 item numbers, $20 kinds of key, $21 hashes, $22 types,
-- $23 subjects, $24 occurred at, $25 further keys, $26 standings.
-- Of deliveries again: $33 how the bodies are written, $34 their sizes as they are stored.
-- Work: $27 number of its event, $28 consumers, $29 lanes, $30 owners, $31 within, ms, $32 sentences of those in review.
with delivery as (
  select *
  from unnest(
    $1::smallint[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::text[], $7::text[], $8::text[], $9::float8[],
    $10::jsonb[], $11::integer[], $12::text[], $13::text[], $15::integer[], $33::text[], $34::integer[]
  ) with ordinality as d (
    shard, delivery_id, tenant, source, received_at, how, scheme, secret_id, signed_at, headers, body_bytes, body_hash,
    body_kept, body_at, codec, stored_bytes, n
  )
),
event as (
  select e.*, d.tenant, d.source, d.delivery_id, d.received_at, d.how
  from unnest(
    $16::integer[], $17::smallint[], $18::text[], $19::integer[], $20::text[], $21::text[], $22::text[], $23::text[],
    $24::float8[], $25::jsonb[], $26::text[]
  ) with ordinality as e (
    delivery_n, shard, event_id, item_no, key_kind, item_hash, event_type, subject, occurred_at, further_keys, standing, n
  )
  join delivery as d on d.n = e.delivery_n
),
seen as (
  insert into foothold.inbox_events as t (
    shard, event_id, tenant, source, event_type, subject, key_kind, item_hash, further_keys, occurred_at, first_seen_at,
    last_seen_at, sightings, delivery_id, item_no, standing
  )
  select
    e.shard, e.event_id, e.tenant, e.source, e.event_type, e.subject, e.key_kind, decode(e.item_hash, 'hex'),
    e.further_keys, to_timestamp(e.occurred_at / 1000), to_timestamp(e.received_at / 1000),
    to_timestamp(e.received_at / 1000), 1, e.delivery_id, e.item_no, e.standing
  from event as e
  order by e.shard, e.event_id
  on conflict (shard, event_id) do update
  set sightings = t.sightings + 1,
    last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at),
    standing = case when excluded.standing = 'routed' then 'routed' else t.standing end
  returning shard, event_id, sightings = 1 as is_new, item_hash
),
judged as (
  select e.*, s.is_new, s.item_hash <> decode(e.item_hash, 'hex') and e.how = 'posted' as is_different
  from event as e
  join seen as s on s.shard = e.shard and s.event_id = e.event_id
),
stored as (
  insert into foothold.deliveries (
    shard, delivery_id, tenant, source, received_at, how, scheme, secret_id, signed_at, headers, body_bytes, body_hash,
    body_kept, codec, body
  )
  select
    d.shard, d.delivery_id, d.tenant, d.source, to_timestamp(d.received_at / 1000), d.how, d.scheme, d.secret_id,
    to_timestamp(d.signed_at / 1000), d.headers, d.body_bytes, decode(d.body_hash, 'hex'),
    case when k.is_kept then d.body_kept else 'same' end, d.codec,
    case when k.is_kept and d.body_kept = 'here' then substring($14::bytea from d.body_at for d.stored_bytes) end
  from delivery as d
  cross join lateral (
    select coalesce(bool_or(j.is_new or j.is_different), true) as is_kept from judged as j where j.delivery_n = d.n
  ) as k
),
sighted as (
  insert into foothold.inbox_sightings (shard, event_id, at, kind, reference)
  select
    j.shard, j.event_id, to_timestamp(j.received_at / 1000),
    case when j.how = 'listed' then 'listed' when j.is_different then 'different' else 'repeat' end, j.delivery_id
  from judged as j
  where not j.is_new
),
called_for as (
  insert into foothold.inbox_work (
    shard, event_id, consumer, tenant, source, event_type, lane, state, due_at, deadline_at, within_ms, owner, attempts,
    losses, sentence, case_ids, changed_at
  )
  select
    e.shard, e.event_id, w.consumer, e.tenant, e.source, e.event_type, w.lane,
    case when w.review is null then 'ready' else 'in_review' end,
    case when w.review is null then now() end,
    now() + w.within_ms * interval '1 millisecond', w.within_ms, w.owner, 0, 0, w.review, '[]', now()
  from unnest($27::integer[], $28::text[], $29::text[], $30::text[], $31::bigint[], $32::text[])
    as w (event_n, consumer, lane, owner, within_ms, review)
  join event as e on e.n = w.event_n
  order by e.shard, e.event_id, w.consumer
  on conflict do nothing
)
select j.event_id, j.is_new, j.is_different from judged as j order by j.n;
