-- Makes the first of the held back cases of each of `keys` due, as many as places of the key are free.
-- In: call_keys, call_held.
ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
free as (
  select
    k.tenant, k.case_type, k.concurrency_key,
    coalesce(
      (
        select p.key_limit
        from foothold.key_places as p
        where p.tenant = k.tenant and p.case_type = k.case_type and p.concurrency_key = k.concurrency_key
        order by p.taken_at desc, p.slot
        limit 1
      ),
      1
    ) - (
      select count(*)
      from foothold.key_places as p
      where p.tenant = k.tenant
        and p.case_type = k.case_type
        and p.concurrency_key = k.concurrency_key
        and {{place_holds}}
    ) as places
  from keys as k
),
first as (
  select w.shard, w.case_id
  from free as f
  cross join lateral (
    select t.shard, t.case_id
    from ranks as r
    cross join lateral (
      select c.shard, c.case_id, c.held_since_at - r.rank * interval '10 minutes' as turn_at
      from foothold.cases as c
      where c.tenant = f.tenant
        and c.case_type = f.case_type
        and c.concurrency_key = f.concurrency_key
        and c.priority = r.rank
        and c.held_since_at is not null
      order by c.held_since_at
      limit greatest(0, f.places)
    ) as t
    order by t.turn_at, t.case_id
    limit greatest(0, f.places)
  ) as w
),
locked as (
  select c.shard, c.case_id
  from first as f
  join foothold.cases as c on c.shard = f.shard and c.case_id = f.case_id
  where c.held_since_at is not null and c.due_at > now()
  for no key update of c skip locked
),
called as (
  update foothold.cases as c
  set due_at = c.held_since_at
  from locked as l
  where c.shard = l.shard and c.case_id = l.case_id
  returning 1 as n
)
