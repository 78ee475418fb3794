-- Whether the case c is one that may be claimed once it is due.
-- In: claim_due, claim_shared and those in places, next_due.
-- $2 engine version; $3, $4 case types and their versions
c.state in ('ready', 'waiting', 'paused')
  and c.due_at is not null
  and c.engine_version <= $2::integer
  and c.definition_version <= (
    select max(t.version)
    from unnest($3::text[], $4::integer[]) as t (name, version)
    where t.name = c.case_type
  )
