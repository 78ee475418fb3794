-- Whose turn it is by priority and time: as many as are wanted beside those that are shared, in due and more.
-- In: claim_due, claim_shared.
-- $1 to $4 as claimable says
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
        and c.case_id <> all ((select ids from wanted)::text[])
      order by c.due_at
      limit (select places from wanted)
    ) as c
    -- As turnAt in core/starting.ts; a test keeps the two equal.
    order by c.due_at - r.rank * interval '10 minutes'
    limit (select places from wanted)
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
      and c.case_id <> all ((select ids from wanted)::text[])
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
      and c.case_id <> all ((select ids from wanted)::text[])
      and not exists (select from due as d where d.shard = c.shard and d.case_id = c.case_id)
    order by c.due_at
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
