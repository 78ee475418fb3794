-- What tells of named cases whether they changed.
-- Caller: readPulse. No locks. Index: cases_pkey.
-- $1 shards, $2 case ids
select c.case_id, c.tenant, c.case_type, c.revision, c.claim_id
from unnest($1::smallint[], $2::text[]) as watched (shard, case_id)
inner join foothold.cases as c on c.shard = watched.shard and c.case_id = watched.case_id;
