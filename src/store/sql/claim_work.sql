-- Claims due work, longest due first. Of one lane at most one is claimed, and none while another of it is. What another
-- statement holds is skipped.
-- Caller: claimWork. Lock order: work in the order of due_at, skipping what is locked, so it waits for nobody.
-- Index: inbox_work_due; inbox_work_claimed for the lanes.
-- $1 tenants, $2 sources, $3 consumers that can be done here, $4 holder, $5 act within, ms, $6 claim ids
with due as (
  select w.shard, w.event_id, w.consumer, w.tenant, w.source, w.lane, w.due_at
  from foothold.inbox_work as w
  where w.state in ('ready', 'waiting')
    and w.due_at <= now()
    and exists (
      select from unnest($1::text[], $2::text[], $3::text[]) as c (tenant, source, consumer)
      where c.tenant = w.tenant and c.source = w.source and c.consumer = w.consumer
    )
    and (
      w.lane is null
      or not exists (
        select from foothold.inbox_work as o
        where o.state = 'claimed' and o.tenant = w.tenant and o.source = w.source and o.consumer = w.consumer and o.lane = w.lane
      )
    )
  order by w.due_at
  limit cardinality($6::text[])
  for no key update of w skip locked
),
first as (
  select shard, event_id, consumer,
    row_number() over (order by due_at, event_id, consumer) as n
  from (
    select *, row_number() over (partition by tenant, source, consumer, lane order by due_at, event_id) as place from due
  ) as d
  where d.lane is null or d.place = 1
),
claimed as (
  update foothold.inbox_work as w
  set state = 'claimed',
    due_at = now() + $5::integer * interval '1 millisecond',
    claim_id = i.claim_id,
    holder_id = $4::text,
    changed_at = now()
  from first as f
  join unnest($6::text[]) with ordinality as i (claim_id, n) on i.n = f.n
  where w.shard = f.shard and w.event_id = f.event_id and w.consumer = f.consumer
  returning w.*, f.n
)
select
  c.event_id, c.consumer, c.tenant, c.source, c.event_type, c.state, c.owner, c.attempts, c.losses, c.claim_id,
  c.holder_id, c.sentence, c.error_class, c.case_ids, c.waits_shard, c.waits_tenant, c.waits_case_type, c.waits_key,
  floor(extract(epoch from c.due_at) * 1000)::bigint as due_at,
  floor(extract(epoch from c.deadline_at) * 1000)::bigint as deadline_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from now()) * 1000)::bigint as now,
  c.lane
from claimed as c
order by c.n;
