-- One page of entries that tell of reviews, ends and lost workers, newest first.
-- Caller: MilestoneStore.list. No locks. Index: journal_milestones, cases_pkey.
-- $1 kinds, null = all of these; $2 before, epoch ms, null = whenever; $3 to $5 time (epoch ms), case and revision of the entry
-- before the page, null = from the newest; $6 entries at most
select
  c.case_id, c.case_type, c.tenant, c.business_key, j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact
from (
  select j.shard, j.case_id, j.revision, j.at, j.commit_id, j.codec, j.body, j.body_hash
  from foothold.journal as j
  where j.kind in ('reviewOpened', 'caseDone', 'canceled', 'claimLost')
    and ($1::text[] is null or j.kind = any ($1::text[]))
    and ($2::float8 is null or j.at < to_timestamp($2::float8 / 1000))
    and (j.at, j.case_id, j.revision) < (
      coalesce(to_timestamp($3::float8 / 1000), 'infinity'::timestamptz), coalesce($4::text, ''), coalesce($5::integer, 0)
    )
  order by j.at desc, j.case_id desc, j.revision desc
  limit $6::integer
) as j
join foothold.cases as c on c.shard = j.shard and c.case_id = j.case_id
order by j.at desc, j.case_id desc, j.revision desc;
