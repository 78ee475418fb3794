-- Schedules, and what became of each of their slots.
-- Readable from: 1
-- An engine that does not know the tables starts nothing by the clock.
-- Caller: migrate. Lock order: new tables.

create table foothold.schedules (
  schedule text collate "C" not null,
  state jsonb not null,
  seen_at timestamptz not null,
  constraint schedules_pkey primary key (schedule)
) with (fillfactor = 50);

comment on table foothold.schedules is 'What starts cases by the clock. Its row is locked while its slots are decided.';
comment on column foothold.schedules.state is
  'As it was declared last, up to when its slots are decided, what waits and what is being started, and its pause. JSON null until then.';
comment on column foothold.schedules.seen_at is 'When a process was last seen that declares it so.';

create table foothold.schedule_slots (
  schedule text collate "C" not null,
  slot_key text collate "C" not null,
  slot_at timestamptz not null,
  last_at timestamptz not null,
  slots integer not null,
  kind text collate "C" not null,
  outcome jsonb not null,
  start jsonb,
  by jsonb,
  decided_at timestamptz not null,
  constraint schedule_slots_pkey primary key (schedule, slot_key),
  constraint schedule_slots_kind check (kind in ('starting', 'started', 'skipped', 'keyHeld', 'refused', 'leftOut')),
  constraint schedule_slots_start check (kind not in ('starting', 'started') or start is not null),
  constraint schedule_slots_count check (slots >= 1 and last_at >= slot_at)
);

comment on table foothold.schedule_slots is 'What became of each slot of a schedule. At most one case is started for each.';
comment on column foothold.schedule_slots.slot_key is 
  'Names the slot: its time, first and last of several that were left out, or a person''s order.';
comment on column foothold.schedule_slots.slots is 'How many were left out together; at least so many where they were too many to count.';
comment on column foothold.schedule_slots.outcome is 'The same as kind, with why, or the case in its way.';
comment on column foothold.schedule_slots.start is 'The ids of its case and of the commit that begins it, fixed before it is started.';
comment on column foothold.schedule_slots.by is 'Who ordered it or left it out. Null = the schedule itself.';

create index schedule_slots_newest on foothold.schedule_slots (schedule, slot_at desc, slot_key);
create index schedule_slots_kind_newest on foothold.schedule_slots (kind, slot_at desc, slot_key)
  where kind in ('starting', 'keyHeld', 'refused');
create index schedule_slots_decided on foothold.schedule_slots (decided_at);
