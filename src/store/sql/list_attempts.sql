-- What was tried at destinations over all workers, the newest stretch first.
-- Caller: SampleStore.listAttempts. No locks. Index: attempt_counts_pkey.
-- $1 stretches that begin after (epoch ms), $2 sums at most
select
  floor(extract(epoch from c.from_at) * 1000)::bigint as from_at, c.destination, c.credential_id,
  sum(c.attempts)::bigint as attempts, sum(c.failed)::bigint as failed, sum(c.requests)::bigint as requests,
  sum(c.repeats)::bigint as repeats, sum(c.unmetered)::bigint as unmetered
from foothold.attempt_counts as c
where c.from_at > to_timestamp($1::float8 / 1000)
group by c.from_at, c.destination, c.credential_id
order by c.from_at desc, c.destination desc, c.credential_id desc
limit $2::integer;
