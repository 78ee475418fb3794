-- Whether a case is there; one row if it is.
-- Caller: ScheduleStore.change, before a slot is recorded as started. No locks. Index: cases_pkey.
-- $1 shard, $2 case id
select c.case_id
from foothold.cases as c
where c.shard = $1::smallint and c.case_id = $2::text;
