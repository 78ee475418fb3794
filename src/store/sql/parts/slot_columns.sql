-- The columns of the record of a slot s, as they are read.
-- In: list_slots, load_slot.
s.schedule, s.slot_key, s.slots, s.outcome, s.start, s.by,
floor(extract(epoch from s.slot_at) * 1000)::bigint as slot_at,
floor(extract(epoch from s.last_at) * 1000)::bigint as last_at,
floor(extract(epoch from s.decided_at) * 1000)::bigint as decided_at
