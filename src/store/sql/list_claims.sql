-- Every claim.
-- Caller: listClaims. No locks. Index: cases_claimed.
-- $1 rows at most
select
  c.shard, c.case_id, c.claim_id, c.holder_id, c.revision, c.act_within_ms, c.claim_touches,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at
from foothold.cases as c
where c.state = 'claimed'
order by c.shard, c.case_id
limit $1::integer;
