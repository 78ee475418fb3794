-- Moves that wait for a second person, oldest first; of one case where one is named.
-- Caller: SecondStore.listOpen. No locks. Index: second_requests_open, or second_requests_case where a case is named.
-- $1 shard and $2 case id, null = of all; $3 requests at most
select
  s.request_id, s.case_id, s.move, s.request, s.step, s.plan, s.reason, s.asked_by, s.state, s.answered_by, s.why,
  floor(extract(epoch from s.asked_at) * 1000)::bigint as asked_at,
  floor(extract(epoch from s.ends_at) * 1000)::bigint as ends_at,
  floor(extract(epoch from s.answered_at) * 1000)::bigint as answered_at
from foothold.second_requests as s
where s.state = 'open' and s.ends_at > now()
  and ($1::smallint is null or s.shard = $1::smallint)
  and ($2::text is null or s.case_id = $2::text)
order by s.asked_at, s.request_id
limit $3::integer;
