-- Whether the case c meets all criteria: meetsCriteria of core, in SQL. A test keeps the two equal.
-- In: search_cases, count_found.
-- $1 tenant, $2 case type, $3 states; $4 only those with an open review; $5 business key; $6 unchanged since (epoch ms);
-- $7 kind of the last failure; $8 owner; $9 steps (caseType, step); $10 part of a text; $11 what may be seen (tenants,
-- caseTypes); $12 states as people read them, $13 their words by review reason and $14 by kind of wait, $15 holders that
-- are alive, $16 pages, $17 now (epoch ms). Null = any.
($1::text is null or c.tenant = $1::text)
and ($2::text is null or c.case_type = $2::text)
and ($3::text[] is null or c.state = any ($3::text[]))
and (c.has_review or not $4::boolean)
and ($5::text is null or c.business_key = $5::text)
and ($6::float8 is null or c.changed_at <= to_timestamp($6::float8 / 1000))
and ($7::text is null or c.summary #>> '{lastFailure,kind}' = $7::text)
and (
  $8::text is null
  or c.summary @> jsonb_build_object('reviews', jsonb_build_array(jsonb_build_object('owner', $8::text)))
  or c.summary @> jsonb_build_object(
    'waits', jsonb_build_array(jsonb_build_object('kind', 'approval', 'by', $8::text))
  )
  or c.summary @> jsonb_build_object(
    'waits', jsonb_build_array(jsonb_build_object('kind', 'access', 'owner', $8::text))
  )
)
and (
  $9::jsonb is null
  or exists (
    select from jsonb_to_recordset($9::jsonb) as wanted ("caseType" text, step text)
    where wanted."caseType" = c.case_type
      and exists (
        select from (
          select jsonb_array_elements_text(c.summary -> 'unsettled')
          union all select jsonb_array_elements(c.summary -> 'reviews') ->> 'step'
          union all select jsonb_array_elements(c.summary -> 'waits') ->> 'step'
        ) as standing (step)
        -- A step of one key stands for the step that has the keys.
        where regexp_replace(standing.step, '^([^][]+)\[[^][]*\]', '\1') = wanted.step
      )
  )
)
and (
  $10::text is null
  or position(lower($10::text collate "C") in lower(c.case_id collate "C")) > 0
  or position(lower($10::text collate "C") in lower(c.business_key collate "C")) > 0
  or position(lower($10::text collate "C") in lower((c.summary #>> '{lastFailure,sentence}') collate "C")) > 0
  or exists (
    select from jsonb_array_elements(c.summary -> 'reviews') as open (review)
    where position(lower($10::text collate "C") in lower((open.review ->> 'sentence') collate "C")) > 0
  )
)
and (
  $11::jsonb is null
  or exists (
    select from jsonb_to_recordset($11::jsonb) as visible (tenants jsonb, "caseTypes" jsonb)
    where (visible.tenants is null or visible.tenants = 'null' or visible.tenants ? c.tenant)
      and (visible."caseTypes" is null or visible."caseTypes" = 'null' or visible."caseTypes" ? c.case_type)
  )
)
and (
  $12::text[] is null
  or case
    when c.state = 'claimed' then case
      when c.holder_id = any ($16::text[]) or c.summary #>> '{repair,name}' is not null then 'Being repaired'
      when c.holder_id = any ($15::text[]) then 'Running'
      else 'Worker lost'
    end
    when c.state = 'done' and (c.summary ->> 'isRepaired')::boolean then 'Done after repair'
    when c.state = 'done' then 'Done'
    when c.state = 'canceled' then 'Canceled'
    when c.state = 'paused' and (c.due_at is null or c.due_at > to_timestamp($17::float8 / 1000)) then 'Paused'
    when c.state = 'ready' and (c.summary ->> 'losses')::integer > 0 then 'Worker lost'
    when c.state <> 'paused' and c.has_review then $13::jsonb ->> (c.summary #>> '{reviews,0,reason}')
    when c.state <> 'paused' and c.summary ? 'undoing'
      and ((c.summary ->> 'losses')::integer = 0 or jsonb_array_length(c.summary -> 'waits') > 0) then 'Undoing'
    when c.state <> 'paused' and jsonb_array_length(c.summary -> 'waits') > 0 then $14::jsonb ->> (
      select waits.wait ->> 'kind'
      from jsonb_array_elements(c.summary -> 'waits') with ordinality as waits (wait, number)
      order by (waits.wait ->> 'dueAt')::numeric nulls last, waits.number
      limit 1
    )
    when (c.summary ->> 'losses')::integer > 0 then 'Worker lost'
    when jsonb_array_length(c.summary -> 'unsettled') > 0 then 'Outcome unknown'
    when jsonb_typeof(c.summary -> 'lastFailure') = 'object' then 'Will retry'
    else 'Waiting until'
  end = any ($12::text[])
)
