-- Of the claims of one holder just made, those of whose lane another is claimed too: two claims at the same moment did
-- not see each other.
-- Caller: claimWork, after its claim. Lock order: reads only. Index: inbox_work_claimed.
-- $1 claim ids
select w.event_id, w.consumer, w.claim_id
from foothold.inbox_work as w
where w.state = 'claimed'
  and w.claim_id = any($1::text[])
  and w.lane is not null
  and exists (
    select from foothold.inbox_work as o
    where o.state = 'claimed' and o.claim_id <> w.claim_id
      and o.tenant = w.tenant and o.source = w.source and o.consumer = w.consumer and o.lane = w.lane
  );
