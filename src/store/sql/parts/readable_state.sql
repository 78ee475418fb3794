-- The state of the case c as people read it: readState of core, in SQL. A test keeps the two equal.
-- In: meets_criteria, count_steps.
-- $1 words by review reason, $2 by kind of wait, $3 holders that are alive, $4 pages, $5 now (epoch ms).
case
  when c.state = 'claimed' then case
    when c.holder_id = any ($4::text[]) or c.summary #>> '{repair,name}' is not null then 'Being repaired'
    when c.holder_id = any ($3::text[]) then 'Running'
    else 'Worker lost'
  end
  when c.state = 'done' and (c.summary ->> 'isRepaired')::boolean then 'Done after repair'
  when c.state = 'done' then 'Done'
  when c.state = 'canceled' then 'Canceled'
  when c.held_since_at is not null and not c.has_review and c.due_at > to_timestamp($5::float8 / 1000) then 'Held back'
  when c.state = 'paused' and (c.due_at is null or c.due_at > to_timestamp($5::float8 / 1000)) then 'Paused'
  when c.state = 'ready' and (c.summary ->> 'losses')::integer > 0 then 'Worker lost'
  when c.state <> 'paused' and c.has_review then $1::jsonb ->> (c.summary #>> '{reviews,0,reason}')
  when c.state <> 'paused' and c.summary ? 'undoing'
    and ((c.summary ->> 'losses')::integer = 0 or jsonb_array_length(c.summary -> 'waits') > 0) then 'Undoing'
  when c.state <> 'paused' and jsonb_array_length(c.summary -> 'waits') > 0 then $2::jsonb ->> (
    select waits.wait ->> 'kind'
    from jsonb_array_elements(c.summary -> 'waits') with ordinality as waits (wait, number)
    order by (waits.wait ->> 'dueAt')::numeric nulls last, waits.number
    limit 1
  )
  when (c.summary ->> 'losses')::integer > 0 then 'Worker lost'
  when jsonb_array_length(c.summary -> 'unsettled') > 0 then 'Outcome unknown'
  when jsonb_typeof(c.summary -> 'lastFailure') = 'object' then 'Will retry'
  else 'Waiting until'
end
