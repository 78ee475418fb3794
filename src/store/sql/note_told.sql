-- Notes what the parent of a case was told of it. Whatever the case became since is told anew.
-- Caller: noteTold. Lock order: one case. Index: cases_pkey.
-- $1 shard, $2 case id, $3 how it stood
update foothold.cases
set told = $3::text
where shard = $1::smallint and case_id = $2::text and told is not null;
