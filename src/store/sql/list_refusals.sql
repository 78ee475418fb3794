-- Refused requests, newest first.
-- Caller: listRefusals. Lock order: reads only. Index: inbox_refusals_at.
-- $1 at most
select
  refusal_id, tenant, source, reason, body_bytes, headers, is_lost, count,
  floor(extract(epoch from at) * 1000)::bigint as at
from foothold.inbox_refusals
order by inbox_refusals.at desc
limit $1::integer;
