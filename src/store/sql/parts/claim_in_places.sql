-- Claims what is in shared, due and more as claim_taken does, but a case that has a key, and whose type a limit, only with a place of
-- that key; what gets none is held back until later. givePlaces of core says which case gets which place; a test keeps the two equal.
-- A place is taken by an insert or by a compare-and-set on the claim that was seen to hold it no more, which reads the place as it is
-- now: of two statements that want the same one, one goes without and leaves its case due. Places are taken in the order of their key,
-- by all statements, so none waits for another in a circle.
-- Where not all that were due were claimed, one row of nulls comes with them.
-- In: claim_due_in_places, claim_shared_in_places.
-- $5 holder; $6 act within, ms; $7 claim ids, one for each case wanted; $8 fold version; in limits, those of the case types
taken as (
  select t.shard, t.case_id, t.due_at, row_number() over (order by t.due_at, t.case_id) as n
  from (
    select * from shared
    union all select * from due
    union all select * from more
    limit cardinality($7::text[])
  ) as t
),
asked as (
  select
    t.shard, t.case_id, i.claim_id, c.tenant, c.case_type, c.concurrency_key, c.held_since_at, l.key_limit, l.freed_by,
    coalesce(c.held_since_at, t.due_at) - c.priority * interval '10 minutes' as turn_at
  from taken as t
  join unnest($7::text[]) with ordinality as i (claim_id, n) on i.n = t.n
  join foothold.cases as c on c.shard = t.shard and c.case_id = t.case_id
  left join lateral (
    select u.key_limit, u.freed_by
    from limits as u
    where u.case_type = c.case_type and u.key_limit is not null and c.concurrency_key is not null
    limit 1
  ) as l on true
),
limited as (
  select a.tenant, a.case_type, a.concurrency_key, a.key_limit, count(*) as wanted
  from asked as a
  where a.key_limit is not null
  group by a.tenant, a.case_type, a.concurrency_key, a.key_limit
),
holding as materialized (
  select k.tenant, k.case_type, k.concurrency_key, p.slot, p.case_id, p.claim_id
  from limited as k
  cross join lateral (
    select p.slot, p.case_id, p.claim_id
    from foothold.key_places as p
    where p.tenant = k.tenant
      and p.case_type = k.case_type
      and p.concurrency_key = k.concurrency_key
      and {{place_holds}}
  ) as p
),
in_line as (
  select
    a.*,
    row_number() over (partition by a.tenant, a.case_type, a.concurrency_key order by a.turn_at, a.case_id) as nth
  from asked as a
  where a.key_limit is not null
    and not exists (
      select
      from holding as h
      where h.tenant = a.tenant
        and h.case_type = a.case_type
        and h.concurrency_key = a.concurrency_key
        and h.case_id = a.case_id
    )
    and (
      a.held_since_at is not null
      or not exists (
        select
        from ranks as r
        cross join lateral (
          select
          from foothold.cases as b
          where b.tenant = a.tenant
            and b.case_type = a.case_type
            and b.concurrency_key = a.concurrency_key
            and b.priority = r.rank
            and b.held_since_at is not null
            and b.held_since_at < a.turn_at + r.rank * interval '10 minutes'
            and b.case_id <> all ((select array_agg(o.case_id) from asked as o)::text[])
          limit 1
        ) as behind
      )
    )
),
free as (
  select
    k.tenant, k.case_type, k.concurrency_key, f.slot, f.claim_id,
    row_number() over (partition by k.tenant, k.case_type, k.concurrency_key order by f.slot) as nth
  from limited as k
  cross join lateral (
    select g.slot, p.claim_id
    from generate_series(1, k.key_limit) as g (slot)
    left join foothold.key_places as p
      on p.tenant = k.tenant
      and p.case_type = k.case_type
      and p.concurrency_key = k.concurrency_key
      and p.slot = g.slot
    where not exists (
      select
      from holding as h
      where h.tenant = k.tenant
        and h.case_type = k.case_type
        and h.concurrency_key = k.concurrency_key
        and h.slot = g.slot
    )
    order by g.slot
    limit least(
      k.wanted,
      greatest(0, k.key_limit - (
        select count(*)
        from holding as h
        where h.tenant = k.tenant and h.case_type = k.case_type and h.concurrency_key = k.concurrency_key
      ))
    )
  ) as f
),
given as (
  select
    a.tenant, a.case_type, a.concurrency_key, h.slot, a.shard, a.case_id, a.claim_id, a.freed_by, a.key_limit,
    h.claim_id as replaced
  from asked as a
  join holding as h
    on h.tenant = a.tenant
    and h.case_type = a.case_type
    and h.concurrency_key = a.concurrency_key
    and h.case_id = a.case_id
  where a.key_limit is not null
  union all
  select
    a.tenant, a.case_type, a.concurrency_key, f.slot, a.shard, a.case_id, a.claim_id, a.freed_by, a.key_limit,
    f.claim_id as replaced
  from in_line as a
  join free as f
    on f.tenant = a.tenant
    and f.case_type = a.case_type
    and f.concurrency_key = a.concurrency_key
    and f.nth = a.nth
),
placed as (
  insert into foothold.key_places as p (
    tenant, case_type, concurrency_key, slot, shard, case_id, claim_id, freed_by, key_limit, taken_at, replaced
  )
  select
    g.tenant, g.case_type, g.concurrency_key, g.slot, g.shard, g.case_id, g.claim_id, g.freed_by, g.key_limit, now(),
    g.replaced
  from given as g
  order by g.tenant, g.case_type, g.concurrency_key, g.slot
  on conflict (tenant, case_type, concurrency_key, slot) do update
  set shard = excluded.shard,
    case_id = excluded.case_id,
    claim_id = excluded.claim_id,
    freed_by = excluded.freed_by,
    key_limit = excluded.key_limit,
    taken_at = excluded.taken_at,
    replaced = excluded.replaced
  where p.claim_id = excluded.replaced
  returning p.claim_id
),
claimed as (
  update foothold.cases as c
  set state = 'claimed',
    resting_state = c.state,
    resting_due_at = coalesce(c.held_since_at, c.due_at),
    due_at = null,
    held_since_at = null,
    claim_id = a.claim_id,
    holder_id = $5::text,
    claimed_at = now(),
    act_by_at = now() + $6::integer * interval '1 millisecond',
    act_within_ms = $6::integer,
    claim_touches = 0
  from asked as a
  where c.shard = a.shard
    and c.case_id = a.case_id
    and (a.key_limit is null or a.claim_id in (select placed.claim_id from placed))
  returning c.*
),
-- As lookAgainAt of core says.
held_back as (
  update foothold.cases as c
  set held_since_at = coalesce(c.held_since_at, c.due_at),
    due_at = now()
      + least(greatest(now() - coalesce(c.held_since_at, c.due_at), interval '30 seconds'), interval '10 minutes')
  from asked as a
  where c.shard = a.shard
    and c.case_id = a.case_id
    and a.key_limit is not null
    and a.claim_id not in (select given.claim_id from given)
),
replied as (
  select * from claimed
  union all
  select (null::foothold.cases).*
  where (select count(*) from claimed) < (select count(*) from asked)
)
{{claim_reply}}
