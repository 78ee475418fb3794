-- Records of slots, newest slot first.
-- Caller: ScheduleStore.listSlots. No locks. Index: schedule_slots_newest, or schedule_slots_kind_newest where no schedule is
-- named.
-- $1 schedule and $2 kind, null = all; $3 time (epoch ms) and $4 key of the slot that they come after, null = all; $5 records at most
select {{slot_columns}}
from foothold.schedule_slots as s
where ($1::text is null or s.schedule = $1::text)
  and ($2::text is null or s.kind = $2::text)
  and (
    $3::float8 is null
    or s.slot_at < to_timestamp($3::float8 / 1000)
    or (s.slot_at = to_timestamp($3::float8 / 1000) and s.slot_key > $4::text)
  )
order by s.slot_at desc, s.slot_key
limit $5::integer;
