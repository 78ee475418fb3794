-- Deletes records of slots that were decided long ago.
-- Caller: ScheduleStore.forgetSlots. Lock order: records by the time of their decision. Index: schedule_slots_decided.
-- $1 decided before (epoch ms), $2 records at most
delete from foothold.schedule_slots as s
using (
  select k.schedule, k.slot_key
  from foothold.schedule_slots as k
  where k.decided_at < to_timestamp($1::float8 / 1000) and k.kind <> 'starting'
  order by k.decided_at
  limit $2::integer
) as old
where s.schedule = old.schedule and s.slot_key = old.slot_key
returning s.slot_key;
