-- The last sample of each stretch of time, newest first.
-- Caller: SampleStore.list. No locks. Index: samples_pkey.
-- $1 after (epoch ms), $2 length of a stretch, ms; $3 samples at most
select distinct on (stretch)
  floor(extract(epoch from s.sampled_at) * 1000 / $2::integer)::bigint as stretch,
  floor(extract(epoch from s.sampled_at) * 1000)::bigint as at, s.states, s.destinations, s.is_whole
from foothold.samples as s
where s.sampled_at > to_timestamp($1::float8 / 1000)
order by stretch desc, s.sampled_at desc
limit $3::integer;
