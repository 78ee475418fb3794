-- Writes records of slots; one that was started stays as it is.
-- Caller: ScheduleStore.change. Lock order: their schedule, which the caller has locked. Index: schedule_slots_pkey.
-- $1 schedule; one for each record: $2 slot key, $3 slot and $4 last slot (epoch ms), $5 how many, $6 outcome, $7 start, $8 by
insert into foothold.schedule_slots as s (
  schedule, slot_key, slot_at, last_at, slots, kind, outcome, start, by, decided_at
)
select
  $1::text, r.slot_key, to_timestamp(r.slot_at / 1000), to_timestamp(r.last_at / 1000), r.slots, r.outcome ->> 'kind',
  r.outcome, r.start, r.by, now()
from unnest($2::text[], $3::float8[], $4::float8[], $5::integer[], $6::jsonb[], $7::jsonb[], $8::jsonb[])
  as r (slot_key, slot_at, last_at, slots, outcome, start, by)
on conflict (schedule, slot_key) do update
set outcome = excluded.outcome, kind = excluded.kind, start = excluded.start, by = excluded.by, decided_at = excluded.decided_at
where s.kind <> 'started';
