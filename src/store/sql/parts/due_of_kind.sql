-- Cases c that are due, of the type and priority of k, longest first. Compared as rows, as in due_in_group: cases_due_of_type
-- alone gives this order, and nothing of another type is looked at.
-- In: claim_due, claim_shared and those in places.
-- $1 to $4 as claimable says
foothold.cases as c
where (c.priority, c.case_type, c.due_at) >= (k.rank, k.case_type, '-infinity'::timestamptz)
  and (c.priority, c.case_type, c.due_at)
    <= (k.rank, k.case_type, coalesce(to_timestamp($1::float8 / 1000), now()))
  and {{takeable}}
  and c.case_id <> all ((select ids from wanted)::text[])
