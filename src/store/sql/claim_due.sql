-- Claims due cases, those of higher priority first and of each longest due first, and gives them with their snapshots, where
-- this fold made one, and the entries after those: one row for each entry, summary and snapshot only in the first row of a
-- case. Cases that another statement holds are skipped. A case that changed while this statement began may come without its
-- newest entries; the caller compares the revision and reads the case again.
-- Each priority counts as ten minutes of waiting. What is looked at is bounded by the cases wanted, for each priority.
-- Caller: claimDue. Lock order: cases by priority in the order of due_at, skipping what is locked, so it waits for nobody.
-- Index: cases_due, then cases_pkey, snapshots_pkey and journal_pkey.
-- $1 time by which to be due, epoch ms, null = now; $2 engine version; $3, $4 case types and their versions;
-- $5 holder; $6 act within, ms; $7 claim ids, one for each case wanted; $8 fold version
with ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
-- How many of each priority have the first turns, whoever holds them just now.
shares as (
  select first.rank, count(*) as share
  from (
    select r.rank
    from ranks as r
    cross join lateral (
      select c.due_at
      from foothold.cases as c
      where c.priority = r.rank
        and {{claimable}}
      order by c.due_at
      limit cardinality($7::text[])
    ) as c
    -- As turnAt in core/starting.ts; a test keeps the two equal.
    order by c.due_at - r.rank * interval '10 minutes'
    limit cardinality($7::text[])
  ) as first
  group by first.rank
),
due as (
  select c.shard, c.case_id, c.due_at
  from shares as s
  cross join lateral (
    select c.shard, c.case_id, c.due_at
    from foothold.cases as c
    where c.priority = s.rank
      and {{claimable}}
    order by c.due_at
    limit s.share
    for no key update of c skip locked
  ) as c
),
-- What another statement holds is made up for by what is due of any other priority; nothing is looked at where none is.
more as (
  select c.shard, c.case_id, c.due_at
  from ranks as r
  cross join lateral (
    select c.shard, c.case_id, c.due_at
    from foothold.cases as c
    where c.priority = r.rank
      and {{claimable}}
      and not exists (select from due as d where d.shard = c.shard and d.case_id = c.case_id)
    order by c.due_at
    limit (
      case
        when (select count(*) from due) < (select sum(share) from shares)
          then cardinality($7::text[]) - (select count(*) from due)
        else 0
      end
    )
    for no key update of c skip locked
  ) as c
  limit cardinality($7::text[]) - (select count(*) from due)
),
numbered as (
  select shard, case_id, row_number() over (order by due_at, case_id) as n
  from (select * from due union all select * from more limit cardinality($7::text[])) as taken
),
claimed as (
  update foothold.cases as c
  set state = 'claimed',
    resting_state = c.state,
    resting_due_at = c.due_at,
    due_at = null,
    claim_id = i.claim_id,
    holder_id = $5::text,
    claimed_at = now(),
    act_by_at = now() + $6::integer * interval '1 millisecond',
    act_within_ms = $6::integer,
    claim_touches = 0
  from numbered as d
  join unnest($7::text[]) with ordinality as i (claim_id, n) on i.n = d.n
  where c.shard = d.shard and c.case_id = d.case_id
  returning c.*
)
select
  c.shard, c.case_id, c.tenant, c.case_type, c.business_key, c.definition_version, c.engine_version,
  c.state, c.revision, c.lineage, c.claim_id, c.holder_id,
  case when row_number() over first = 1 then c.summary end as summary,
  floor(extract(epoch from coalesce(c.due_at, c.resting_due_at)) * 1000)::bigint as due_at,
  floor(extract(epoch from c.started_at) * 1000)::bigint as started_at,
  floor(extract(epoch from c.changed_at) * 1000)::bigint as changed_at,
  floor(extract(epoch from c.claimed_at) * 1000)::bigint as claimed_at,
  floor(extract(epoch from c.act_by_at) * 1000)::bigint as act_by_at,
  floor(extract(epoch from now()) * 1000)::bigint as now,
  s.revision as snapshot_revision,
  case when row_number() over first = 1 then s.lineage end as snapshot_lineage,
  case when row_number() over first = 1 then s.codec end as snapshot_codec,
  case when row_number() over first = 1 then s.body end as snapshot_body,
  case when row_number() over first = 1 then sha256(s.body) = s.body_hash end as snapshot_is_intact,
  j.revision as entry_revision,
  floor(extract(epoch from j.at) * 1000)::bigint as at,
  j.commit_id, j.codec, j.body, sha256(j.body) = j.body_hash as is_intact
from claimed as c
left join foothold.snapshots as s
  on s.shard = c.shard and s.case_id = c.case_id and s.fold_version = $8::integer
left join foothold.journal as j
  on j.shard = c.shard and j.case_id = c.case_id and j.revision > coalesce(s.revision, 0)
window first as (partition by c.shard, c.case_id order by j.revision)
order by c.shard, c.case_id, j.revision;
