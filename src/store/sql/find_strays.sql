-- Entries of a shard that lie beyond the revision of their case, or have no case: no commit wrote them.
-- Caller: AuditStore.findStrays. No locks. Index: journal_pkey and cases_pkey, from end to end of the shard.
-- $1 shard, $2 entries at most
select j.case_id, j.revision
from foothold.journal as j
left join foothold.cases as c on c.shard = j.shard and c.case_id = j.case_id
where j.shard = $1::smallint and j.revision > coalesce(c.revision, 0)
order by j.case_id, j.revision
limit $2::integer;
