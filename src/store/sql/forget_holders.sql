-- Deletes holders that ended long ago and hold nothing; at most 1,000.
-- Caller: forgetHolders. Lock order: holders, skipping what is locked. Index: holders_pkey and cases_claimed.
-- $1 ended before, epoch ms
delete from foothold.holders
where holder_id in (
  select h.holder_id
  from foothold.holders as h
  where h.ended_at < to_timestamp($1::float8 / 1000)
    and not exists (
      select from foothold.cases as c
      where c.state = 'claimed' and c.holder_id = h.holder_id
    )
  order by h.holder_id
  limit 1000
  for update of h skip locked
)
returning holder_id;
