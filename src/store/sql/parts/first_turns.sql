-- Whose turn it is by priority and time: as many as are wanted beside those that are shared, in due and more.
-- In: claim_due, claim_shared and those in places.
-- $1 to $4 as claimable says
kinds (case_type, rank) as (
  select distinct t.name, r.rank from unnest($3::text[]) as t (name) cross join ranks as r
),
-- How many of each type and priority have the first turns, whoever holds them just now.
shares as (
  select first.case_type, first.rank, count(*) as share
  from (
    select k.case_type, k.rank
    from kinds as k
    cross join lateral (
      select c.due_at
      from {{due_of_kind}}
      order by c.priority, c.case_type, c.due_at
      limit (select places from wanted)
    ) as c
    -- As turnAt in core/starting.ts; a test keeps the two equal.
    order by c.due_at - k.rank * interval '10 minutes'
    limit (select places from wanted)
  ) as first
  group by first.case_type, first.rank
),
due as (
  select c.shard, c.case_id, c.due_at
  from shares as k
  cross join lateral (
    select c.shard, c.case_id, c.due_at
    from {{due_of_kind}}
    order by c.priority, c.case_type, c.due_at
    limit k.share
    for no key update of c skip locked
  ) as c
),
-- What another statement holds is made up for by what is due of any other kind; nothing is looked at where none is.
more as (
  select c.shard, c.case_id, c.due_at
  from kinds as k
  cross join lateral (
    select c.shard, c.case_id, c.due_at
    from {{due_of_kind}}
      and not exists (select from due as d where d.shard = c.shard and d.case_id = c.case_id)
    order by c.priority, c.case_type, c.due_at
    limit (
      case
        when (select count(*) from due) < (select sum(share) from shares)
          then (select places from wanted) - (select count(*) from due)
        else 0
      end
    )
    for no key update of c skip locked
  ) as c
  limit (select places from wanted) - (select count(*) from due)
)
