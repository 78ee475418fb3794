-- Who holds work of the inbox.
-- Caller: listWorkHolders. Lock order: reads only. Index: inbox_work_claimed.
-- $1 at most
select distinct w.holder_id
from foothold.inbox_work as w
where w.state = 'claimed'
limit $1::integer;
