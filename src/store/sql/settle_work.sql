-- Stores what holders made of their claims: of each that is still theirs. Returns the numbers of those that were stored.
-- What is done must be in its cases: the fact was told before, and a failover in between loses it without this mark.
-- Caller: settleWork. Lock order: work by shard, event and consumer, as the caller has sorted it. Index: inbox_work_pkey, cases_pkey,
-- journal_source.
-- $1 shards, $2 events, $3 consumers, $4 claim ids, $5 states, $6 due in, ms, $7 attempts, $8 sentences, $9 classes,
-- $10 cases, $11 to $14 the awaited case: shards, tenants, case types, keys; $15 what the cases know the event by, null = that
-- they are there is enough; $16 what is said where that is lost, $17 after how long it is taken up again, ms
update foothold.inbox_work as w
set state = case when fact.is_lost then 'ready' else i.state end,
  due_at = now() + case when fact.is_lost then $17::float8 else i.due_in_ms end * interval '1 millisecond',
  attempts = i.attempts,
  sentence = case when fact.is_lost then $16::text else i.sentence end,
  error_class = i.error_class,
  case_ids = i.case_ids,
  waits_shard = i.waits_shard,
  waits_tenant = i.waits_tenant,
  waits_case_type = i.waits_case_type,
  waits_key = i.waits_key,
  claim_id = null,
  holder_id = null,
  changed_at = now()
from unnest(
  $1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::integer[], $8::text[], $9::text[],
  $10::jsonb[], $11::smallint[], $12::text[], $13::text[], $14::text[], $15::text[]
) with ordinality as i (
  shard, event_id, consumer, claim_id, state, due_in_ms, attempts, sentence, error_class, case_ids, waits_shard,
  waits_tenant, waits_case_type, waits_key, source_id, n
)
cross join lateral (
  select i.state in ('done', 'ignored') and exists (
    select from jsonb_array_elements_text(i.case_ids) as told (case_id)
    where not exists (
      select from foothold.cases as c
      where c.shard = left(told.case_id, 2)::smallint and c.case_id = told.case_id
    )
    or i.source_id is not null and not exists (
      select from foothold.journal as j
      where j.shard = left(told.case_id, 2)::smallint and j.case_id = told.case_id and j.source_id = i.source_id
    )
  ) as is_lost
) as fact
where w.shard = i.shard and w.event_id = i.event_id and w.consumer = i.consumer
  and w.state = 'claimed' and w.claim_id = i.claim_id
returning i.n::integer as n;
