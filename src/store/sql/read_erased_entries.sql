-- Up to where the entries of a case that say that they were erased go.
-- Caller: AuditStore.readErased. No locks. Index: journal_pkey.
-- $1 shard, $2 case id
select coalesce(max(j.revision), 0)::integer as revision
from foothold.journal as j
where j.shard = $1::smallint and j.case_id = $2::text and j.sealed_as is not null;
