-- Lets cases be found by values that their summaries will have. In the transaction of the commit that brings them; one too
-- many does no harm, as every search compares the summary too.
-- Caller: commit and changeCase, where values are new. Lock order: after the cases, new rows only. Index: cases_pkey, search_values_pkey.
-- One for each case: $1 shards, $2 case ids, $3 values
insert into foothold.search_values (shard, case_id, name, value, number, started_at)
select c.shard, c.case_id, v.name, v.value, v.number, c.started_at
from unnest($1::smallint[], $2::text[], $3::jsonb[]) as t (shard, case_id, found)
join foothold.cases as c on c.shard = t.shard and c.case_id = t.case_id
cross join jsonb_to_recordset(t.found) as v (name text, value text, number float8)
on conflict do nothing;
