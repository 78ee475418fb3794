-- Every holder that is kept, newest first; at most 10,000.
-- Caller: listHolders. No locks. Index: none, there are as many rows as processes of the last days.
select
  holder_id, kind, name, host, build, lease_ms, case_types, beat,
  (extract(epoch from beat_at) * 1000)::float8 as beat_at,
  (extract(epoch from started_at) * 1000)::float8 as started_at,
  (extract(epoch from ended_at) * 1000)::float8 as ended_at
from foothold.holders
order by started_at desc, holder_id
limit 10000;
