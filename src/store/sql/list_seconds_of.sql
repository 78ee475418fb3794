-- Every move of a case that waits or waited for a second person, newest first.
-- Caller: SecondStore.listOf. No locks. Index: second_requests_of.
-- $1 shard, $2 case id, $3 requests at most
select
  s.request_id, s.case_id, s.move, s.request, s.step, s.plan, s.reason, s.asked_by, s.state, s.answered_by, s.why,
  floor(extract(epoch from s.asked_at) * 1000)::bigint as asked_at,
  floor(extract(epoch from s.ends_at) * 1000)::bigint as ends_at,
  floor(extract(epoch from s.answered_at) * 1000)::bigint as answered_at
from foothold.second_requests as s
where s.shard = $1::smallint and s.case_id = $2::text
order by s.asked_at desc, s.request_id desc
limit $3::integer;
