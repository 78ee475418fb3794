-- Cases c that are due, of the type and tenant of l and the priority of r, longest first. Compared as rows: whatever is known
-- of how many a tenant has, cases_due_in_group alone gives this order, and no other index is read past what others piled up.
-- The last of the row is when it must be due: said by itself too, another index could be taken for it.
-- In: claim_shared and the one in places.
-- $1 to $4 as claimable says
foothold.cases as c
where (c.case_type, c.tenant, c.priority, c.due_at) >= (l.case_type, l.tenant, r.rank, '-infinity'::timestamptz)
  and (c.case_type, c.tenant, c.priority, c.due_at)
    <= (l.case_type, l.tenant, r.rank, coalesce(to_timestamp($1::float8 / 1000), now()))
  and {{takeable}}
order by c.case_type, c.tenant, c.priority, c.due_at
