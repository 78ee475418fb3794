-- How many requests were refused lately, by source and reason.
-- Caller: countRefusals. Lock order: reads only. Index: inbox_refusals_at.
-- $1 within, in ms
select source, reason, sum(count)::bigint as count
from foothold.inbox_refusals
where at > now() - make_interval(secs => $1::float8 / 1000)
group by source, reason
order by source, reason;
