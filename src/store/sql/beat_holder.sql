-- Renews a holder that is not marked as ended, and gives its claims: one row for each, or one row with nulls when it has
-- none. No row means that the holder ended. At most 10,000 claims.
-- Caller: beat. Lock order: one holder. Index: holders_pkey and cases_claimed.
-- $1 holder id
with beaten as (
  update foothold.holders
  set beat = beat + 1, beat_at = now()
  where holder_id = $1::text and ended_at is null
  returning floor(extract(epoch from now()) * 1000)::bigint as now
)
select
  b.now,
  c.shard, c.case_id, c.claim_id, c.holder_id, c.revision, c.act_within_ms, c.claim_touches,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at
from beaten as b
left join foothold.cases as c on c.state = 'claimed' and c.holder_id = $1::text
limit 10000;
