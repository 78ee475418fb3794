-- Whether the case c, found by its key, may be claimed: isClaimable of core/row.ts, in SQL. A test keeps the two equal.
-- In: claim_shared and the one in places. The time stands in coalesce so that no index on it can be taken in the place of the key's.
-- $1 time by which to be due, epoch ms, null = now; $2 engine version; $3, $4 case types and their versions
(
  {{takeable}}
  and coalesce(c.due_at, 'infinity') <= coalesce(to_timestamp($1::float8 / 1000), now())
)
