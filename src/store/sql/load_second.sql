-- One move that waits, or waited, for a second person.
-- Caller: SecondStore.load. No locks. Index: second_requests_pkey.
-- $1 shard, $2 request id
select
  s.request_id, s.case_id, s.move, s.request, s.step, s.plan, s.reason, s.asked_by, s.state, s.answered_by, s.why,
  floor(extract(epoch from s.asked_at) * 1000)::bigint as asked_at,
  floor(extract(epoch from s.ends_at) * 1000)::bigint as ends_at,
  floor(extract(epoch from s.answered_at) * 1000)::bigint as answered_at
from foothold.second_requests as s
where s.shard = $1::smallint and s.request_id = $2::text;
