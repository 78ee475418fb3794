-- Schedules by name; one of them where it is named.
-- Caller: ScheduleStore.list and load, the first about once a second by every process that has schedules. No locks.
-- Index: schedules_pkey.
-- $1 schedule, null = all; $2 schedules at most
select s.schedule as name, s.state, floor(extract(epoch from s.seen_at) * 1000)::bigint as seen_at
from foothold.schedules as s
where s.state <> 'null' and ($1::text is null or s.schedule = $1::text)
order by s.schedule
limit $2::integer;
