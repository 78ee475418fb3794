-- Notes that a process is there that declares these schedules as they are.
-- Caller: ScheduleStore.see. Lock order: schedules by name. Index: schedules_pkey.
-- $1 schedules
update foothold.schedules as s
set seen_at = greatest(s.seen_at, now())
from (
  select k.schedule
  from foothold.schedules as k
  where k.schedule = any($1::text[])
  order by k.schedule
  for update
) as known
where s.schedule = known.schedule;
