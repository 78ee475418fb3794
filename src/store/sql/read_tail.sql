-- Reads what the state of a case is made of: its snapshot, where this fold made one, and the entries after it; also the
-- commit by which a change is known already, and the database's time after the lock was had. One row for each entry, or
-- one without, the snapshot only in the first.
-- Caller: changeCase. No locks. Index: snapshots_pkey, journal_pkey and journal_source.
-- $1 shard, $2 case id, $3 fold version, $4 what the change is known by
select
  s.revision as snapshot_revision,
  case when row_number() over first = 1 then s.lineage end as snapshot_lineage,
  case when row_number() over first = 1 then s.codec end as snapshot_codec,
  case when row_number() over first = 1 then s.body end as snapshot_body,
  case when row_number() over first = 1 then sha256(s.body) = s.body_hash end as snapshot_is_intact,
  j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact,
  (
    select k.commit_id
    from foothold.journal as k
    where k.shard = $1::smallint and k.case_id = $2::text and k.source_id = $4::text
  ) as known_by,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
from (values ($1::smallint, $2::text)) as c (shard, case_id)
left join foothold.snapshots as s
  on s.shard = c.shard and s.case_id = c.case_id and s.fold_version = $3::integer
left join foothold.journal as j
  on j.shard = c.shard and j.case_id = c.case_id and j.revision > coalesce(s.revision, 0)
window first as (order by j.revision)
order by j.revision;
