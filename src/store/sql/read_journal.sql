-- Reads the journal of a case after a revision, and the database's time after any lock was had.
-- Caller: changeCase and commit. No locks. Index: journal_pkey.
-- $1 shard, $2 case id, $3 revision (0 = all)
select
  j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
from foothold.journal as j
where j.shard = $1::smallint and j.case_id = $2::text and j.revision > $3::integer
order by j.revision;
