-- Makes work due that waits for a case which is there now.
-- Caller: rematchWork. Lock order: work as found, skipping what is locked. Index: inbox_work_awaited, then
-- cases_business_key and case_keys_pkey.
-- $1 at most
update foothold.inbox_work as w
set due_at = now(), changed_at = now()
from (
  select o.shard, o.event_id, o.consumer
  from foothold.inbox_work as o
  where o.state = 'waiting' and o.waits_key is not null and o.due_at > now()
    and (
      exists (
        select from foothold.cases as c
        where c.shard = o.waits_shard and c.business_key = o.waits_key and c.case_type = o.waits_case_type
          and c.tenant = o.waits_tenant
      )
      or exists (
        select from foothold.case_keys as k
        where k.shard = o.waits_shard and k.key = o.waits_key and k.case_type = o.waits_case_type
          and k.tenant = o.waits_tenant
      )
    )
  limit $1::integer
  for no key update of o skip locked
) as f
where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
returning w.event_id;
