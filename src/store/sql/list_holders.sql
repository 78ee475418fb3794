-- Every holder that is kept, newest first; at most 10,000.
-- Caller: listHolders. No locks. Index: none, there are as many rows as processes of the last days.
select
  holder_id, kind, name, host, build, lease_ms, case_types, destinations, beat,
  floor(extract(epoch from beat_at) * 1000)::bigint as beat_at,
  floor(extract(epoch from started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from ended_at) * 1000)::bigint as ended_at
from foothold.holders
order by started_at desc, holder_id
limit 10000;
