-- The record of one slot.
-- Caller: ScheduleStore.change, which holds the lock of its schedule. No locks. Index: schedule_slots_pkey.
-- $1 schedule, $2 slot key
select {{slot_columns}}
from foothold.schedule_slots as s
where s.schedule = $1::text and s.slot_key = $2::text;
