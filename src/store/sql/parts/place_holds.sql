-- Whether the place p still holds: isPlaceHeld of core, in SQL. A case that came to have two of its key, by claims that began at the
-- same time, has the lower one. Each is looked up by itself, with a limit: asked whether one exists, a planner that saw empty tables
-- would read all cases first.
-- In: claim_in_places, called_first, read_keys, forget_places.
coalesce(
  (
    select
      case
        when p.freed_by = 'rest' then h.claim_id is not distinct from p.claim_id
        else h.state not in ('done', 'canceled') and coalesce(
          (
            select false
            from foothold.key_places as q
            where q.tenant = p.tenant
              and q.case_type = p.case_type
              and q.concurrency_key = p.concurrency_key
              and q.slot < p.slot
              and q.case_id = p.case_id
            limit 1
          ),
          true
        )
      end
    from foothold.cases as h
    where h.shard = p.shard and h.case_id = p.case_id
    limit 1
  ),
  false
)
