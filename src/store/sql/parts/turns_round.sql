-- The cases of the places that go round the case types and tenants, in shared, and after which of those the next claim goes on.
-- In: claim_shared, claim_shared_in_places.
-- $1 to $4 and $7 as claim_due says; $9 places that go round, $10, $11 the type and tenant to go on after, null = from the first
-- The next types and tenants of which anything has a time, due or not.
looked (n, case_type, tenant) as (
  select 1, g.case_type, g.tenant
  from (
    select c.case_type, c.tenant
    from foothold.cases as c
    where c.state in ('ready', 'waiting', 'paused')
      and c.due_at is not null
      and (c.case_type, c.tenant) > (coalesce($10::text, ''), coalesce($11::text, ''))
    order by c.case_type, c.tenant
    limit 1
  ) as g
  union all
  select l.n + 1, g.case_type, g.tenant
  from looked as l
  cross join lateral (
    select c.case_type, c.tenant
    from foothold.cases as c
    where c.state in ('ready', 'waiting', 'paused')
      and c.due_at is not null
      and (c.case_type, c.tenant) > (l.case_type, l.tenant)
    order by c.case_type, c.tenant
    limit 1
  ) as g
  where l.n < 32
),
with_due as (
  select l.case_type, l.tenant, row_number() over (order by l.n) as n, count(*) over () as groups
  from looked as l
  cross join lateral (
    select
    from ranks as r
    cross join lateral (select from {{due_in_group}} limit 1) as c
    limit 1
  ) as head
  where l.case_type = any ($3::text[])
),
-- Of each as many as there are rounds.
in_rounds as (
  select c.shard, c.case_id
  from with_due as l
  cross join lateral (
    select t.shard, t.case_id, row_number() over (order by t.turn_at) as round
    from (
      select c.shard, c.case_id, c.due_at - r.rank * interval '10 minutes' as turn_at
      from ranks as r
      cross join lateral (
        select c.shard, c.case_id, c.due_at
        from {{due_in_group}}
        limit ($9::integer + l.groups - 1) / l.groups
      ) as c
    ) as t
    order by t.turn_at
    limit ($9::integer + l.groups - 1) / l.groups
  ) as c
  where l.n <= $9::integer
  order by c.round, l.n
  limit $9::integer
),
shared as (
  select c.shard, c.case_id, c.due_at
  from in_rounds as i
  cross join lateral (
    select c.shard, c.case_id, c.due_at
    from foothold.cases as c
    where c.shard = i.shard
      and c.case_id = i.case_id
      and {{claimable}}
    for no key update of c skip locked
  ) as c
),
wanted (places, ids) as (
  select cardinality($7::text[]) - count(*), coalesce(array_agg(case_id), '{}') from shared
),
-- Where the next claim goes on: after what had a place, or was looked at, last. None where all were looked at.
last_shared as (
  select w.case_type, w.tenant from with_due as w where w.n = $9::integer and w.groups > w.n
  union all
  select l.case_type, l.tenant
  from looked as l
  where l.n = 32 and not exists (select from with_due as w where w.groups > $9::integer)
)
