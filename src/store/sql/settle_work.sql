-- Stores what holders made of their claims: of each that is still theirs. Returns the numbers of those that were stored.
-- Caller: settleWork. Lock order: work by shard, event and consumer, as the caller has sorted it. Index: inbox_work_pkey.
-- $1 shards, $2 events, $3 consumers, $4 claim ids, $5 states, $6 due in, ms, $7 attempts, $8 sentences, $9 classes,
-- $10 cases, $11 to $14 the awaited case: shards, tenants, case types, keys
update foothold.inbox_work as w
set state = i.state,
  due_at = now() + i.due_in_ms * interval '1 millisecond',
  attempts = i.attempts,
  sentence = i.sentence,
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
  $10::jsonb[], $11::smallint[], $12::text[], $13::text[], $14::text[]
) with ordinality as i (
  shard, event_id, consumer, claim_id, state, due_in_ms, attempts, sentence, error_class, case_ids, waits_shard,
  waits_tenant, waits_case_type, waits_key, n
)
where w.shard = i.shard and w.event_id = i.event_id and w.consumer = i.consumer
  and w.state = 'claimed' and w.claim_id = i.claim_id
returning i.n::integer as n;
