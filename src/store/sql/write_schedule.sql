-- Writes a schedule whose lock is held.
-- Caller: ScheduleStore.change. Lock order: one schedule, which the caller has locked. Index: schedules_pkey.
-- $1 schedule, $2 state
update foothold.schedules as s
set state = $2::jsonb
where s.schedule = $1::text;
