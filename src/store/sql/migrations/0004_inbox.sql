-- The inbox: what arrived, the events in it, and the work that each calls for.
-- Readable from: 2
-- Caller: migrate. Lock order: new tables only.

create domain foothold.work_state as text collate "C" check (
  value in ('ready', 'claimed', 'waiting', 'in_review', 'done', 'ignored')
);

create table foothold.deliveries (
  shard smallint not null,
  delivery_id text collate "C" not null,
  tenant text collate "C" not null,
  source text collate "C" not null,
  received_at timestamptz not null,
  how text collate "C" not null,
  scheme text not null,
  secret_id text not null,
  signed_at timestamptz,
  headers jsonb not null,
  body_bytes integer not null,
  body_hash foothold.body_hash not null,
  body_kept text collate "C" not null,
  body bytea,
  constraint deliveries_pkey primary key (shard, delivery_id),
  constraint deliveries_how check (how in ('posted', 'listed')),
  constraint deliveries_body check ((body is not null) = (body_kept = 'here'))
);

comment on table foothold.deliveries is 'What arrived and is authentic. Never changed; its body is deleted when its time is over.';
comment on column foothold.deliveries.shard is 'That of its first event.';
comment on column foothold.deliveries.how is 'Posted by the provider, or read from the provider''s list.';
comment on column foothold.deliveries.scheme is 'How it was found authentic, when it arrived.';
comment on column foothold.deliveries.secret_id is 'The name of the secret that matched.';
comment on column foothold.deliveries.headers is 'The headers that may be kept.';
comment on column foothold.deliveries.body_kept is
  'here; parts: in delivery_parts; same: that of an earlier delivery; deleted: its time was over.';
comment on column foothold.deliveries.body is 'As sent: PostgreSQL''s own JSON would refuse some of it and change more.';

create index deliveries_received on foothold.deliveries (source, tenant, received_at)
  where body_kept in ('here', 'parts');

-- A body of 25 MB in one value would hold up the process that writes it.
create table foothold.delivery_parts (
  shard smallint not null,
  delivery_id text collate "C" not null,
  part_no integer not null,
  body bytea not null,
  constraint delivery_parts_pkey primary key (shard, delivery_id, part_no)
);

comment on table foothold.delivery_parts is 'The bodies of large deliveries, in pieces.';

create table foothold.inbox_events (
  shard smallint not null,
  event_id text collate "C" not null,
  tenant text collate "C" not null,
  source text collate "C" not null,
  event_type text not null,
  subject text,
  key_kind text collate "C" not null,
  item_hash foothold.body_hash not null,
  further_keys jsonb not null,
  occurred_at timestamptz,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  sightings integer not null,
  delivery_id text collate "C" not null,
  item_no integer not null,
  standing text collate "C" not null,
  constraint inbox_events_pkey primary key (shard, event_id),
  constraint inbox_events_standing check (standing in ('routed', 'nobody', 'unreadable')),
  constraint inbox_events_key_kind check (key_kind in ('delivery', 'body'))
) with (fillfactor = 85);

comment on table foothold.inbox_events is
  'One fact that a source told, however often it came. Outlives the bodies of its deliveries: it is what a late repeat is compared with.';
comment on column foothold.inbox_events.event_id is 'Made of the key that suppresses repeats, so a repeat has the same.';
comment on column foothold.inbox_events.subject is 'What it is about.';
comment on column foothold.inbox_events.key_kind is 'delivery: the provider''s own id; body: there was none, so the hash of the body.';
comment on column foothold.inbox_events.item_hash is 'Of the event''s own bytes: a repeat with other bytes is shown.';
comment on column foothold.inbox_events.further_keys is 'Hashes of what else names the same fact.';
comment on column foothold.inbox_events.occurred_at is 'As the provider says. Never an order.';
comment on column foothold.inbox_events.sightings is 'Deliveries of it.';
comment on column foothold.inbox_events.delivery_id is 'The delivery that has its bytes; begins with the delivery''s shard.';
comment on column foothold.inbox_events.standing is
  'routed: somebody takes it; nobody: nobody does; unreadable: authentic, and its body cannot be read.';

create index inbox_events_seen on foothold.inbox_events (first_seen_at desc, event_id desc);
create index inbox_events_source on foothold.inbox_events (source, tenant, first_seen_at);

create table foothold.inbox_keys (
  shard smallint not null,
  key_hash text collate "C" not null,
  kind text collate "C" not null,
  event_id text collate "C" not null,
  taken_at timestamptz not null,
  constraint inbox_keys_pkey primary key (shard, key_hash)
);

comment on table foothold.inbox_keys is
  'What else names a fact, and the event that was first with it. Checked when work is done, not at arrival.';

create index inbox_keys_event on foothold.inbox_keys (event_id);

create table foothold.inbox_sightings (
  shard smallint not null,
  event_id text collate "C" not null,
  at timestamptz not null,
  kind text collate "C" not null,
  reference text collate "C" not null,
  by text,
  reason text
);

comment on table foothold.inbox_sightings is 'Further sights of an event, and what people did about it. Appended to only.';
comment on column foothold.inbox_sightings.reference is 'The delivery, or the other event.';

create index inbox_sightings_event on foothold.inbox_sightings (shard, event_id, at desc);

create table foothold.inbox_work (
  shard smallint not null,
  event_id text collate "C" not null,
  consumer text collate "C" not null,
  tenant text collate "C" not null,
  source text collate "C" not null,
  event_type text not null,
  lane text collate "C",
  state foothold.work_state not null,
  due_at timestamptz,
  deadline_at timestamptz not null,
  within_ms bigint not null,
  owner text not null,
  attempts integer not null,
  losses integer not null,
  claim_id text collate "C",
  holder_id text collate "C",
  sentence text,
  error_class text,
  case_ids jsonb not null,
  waits_shard smallint,
  waits_tenant text collate "C",
  waits_case_type text collate "C",
  waits_key text collate "C",
  changed_at timestamptz not null,
  constraint inbox_work_pkey primary key (shard, event_id, consumer),
  -- No open row without a due time, and none claimed by nobody.
  constraint inbox_work_is_whole check (
    (due_at is not null) = (state in ('ready', 'claimed', 'waiting'))
    and num_nulls(claim_id, holder_id) = case state when 'claimed' then 0 else 2 end
    and num_nulls(waits_shard, waits_tenant, waits_case_type, waits_key) in (0, 4)
  )
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

comment on table foothold.inbox_work is
  'What an event calls for: one row for each consumer, with a state, a claim and a deadline of its own.';
comment on column foothold.inbox_work.lane is 'Work of one lane is done one after another.';
comment on column foothold.inbox_work.due_at is 'When it is looked at next; of a claim, when it ends.';
comment on column foothold.inbox_work.deadline_at is 'By when it must be done or in review.';
comment on column foothold.inbox_work.owner is 'Who takes it when it cannot be done.';
comment on column foothold.inbox_work.attempts is 'Failed tries of this round.';
comment on column foothold.inbox_work.losses is 'Claims lost in this round.';
comment on column foothold.inbox_work.claim_id is 'Random, made by the holder before the claim. The guard of its outcome.';
comment on column foothold.inbox_work.sentence is 'What was done, what it waits for, or why it stopped.';
comment on column foothold.inbox_work.error_class is 'Groups what failed alike.';
comment on column foothold.inbox_work.case_ids is 'The cases that it reached.';
comment on column foothold.inbox_work.waits_key is 'The key of the case that it waits for, with the three columns before.';

create index inbox_work_due on foothold.inbox_work (due_at) where state in ('ready', 'waiting');
create index inbox_work_claimed on foothold.inbox_work (due_at) where state = 'claimed';
create index inbox_work_deadline on foothold.inbox_work (deadline_at) where state in ('ready', 'waiting');
create index inbox_work_awaited on foothold.inbox_work (waits_shard, waits_key) where state = 'waiting' and waits_key is not null;
create index inbox_work_open on foothold.inbox_work (source, tenant, state) where state <> 'done';

create table foothold.inbox_refusals (
  shard smallint not null,
  refusal_id text collate "C" not null,
  tenant text collate "C" not null,
  source text collate "C" not null,
  at timestamptz not null,
  reason text collate "C" not null,
  body_bytes bigint not null,
  headers jsonb not null,
  is_lost boolean not null,
  count integer not null,
  constraint inbox_refusals_pkey primary key (shard, refusal_id)
);

comment on table foothold.inbox_refusals is
  'Requests that were refused. Anybody can make them, so their bodies are not kept and their number is bounded.';
comment on column foothold.inbox_refusals.is_lost is 'The provider will not send it again: ask its list.';
comment on column foothold.inbox_refusals.count is 'How many refusals this row stands for.';

create index inbox_refusals_at on foothold.inbox_refusals (at desc);

create table foothold.inbox_sources (
  shard smallint not null,
  tenant text collate "C" not null,
  source text collate "C" not null,
  reconciling jsonb not null,
  changed_at timestamptz not null,
  constraint inbox_sources_pkey primary key (shard, tenant, source)
);

comment on table foothold.inbox_sources is 'How far the list of a provider was read.';

create table foothold.case_keys (
  shard smallint not null,
  key text collate "C" not null,
  case_type text collate "C" not null,
  tenant text collate "C" not null,
  case_id text collate "C" not null,
  constraint case_keys_pkey primary key (shard, key, case_type, tenant, case_id)
);

comment on table foothold.case_keys is
  'Further keys by which events find a case. Follows from the journals; an event that is led here is judged again by its case.';
comment on column foothold.case_keys.shard is 'That of the key, not of the case.';
