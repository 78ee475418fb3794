-- Whether the case c may be claimed: isClaimable of core/row.ts, in SQL. A test keeps the two equal.
-- In: claim_due, claim_shared.
-- $1 time by which to be due, epoch ms, null = now; $2 engine version; $3, $4 case types and their versions
(
  c.state in ('ready', 'waiting', 'paused')
  and c.due_at <= coalesce(to_timestamp($1::float8 / 1000), now())
  and c.engine_version <= $2::integer
  and c.definition_version <= (
    select max(t.version)
    from unnest($3::text[], $4::integer[]) as t (name, version)
    where t.name = c.case_type
  )
)
