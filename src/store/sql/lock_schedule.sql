-- Locks a schedule and reads it, with the record of one slot; makes the row where there is none, with a null in it.
-- Caller: ScheduleStore.change. Lock order: one schedule, then records of its slots. Index: schedules_pkey, by its constraint.
-- $1 schedule
insert into foothold.schedules as s (schedule, state, seen_at)
values ($1::text, 'null', now())
on conflict (schedule) do update set seen_at = s.seen_at
returning s.state, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
