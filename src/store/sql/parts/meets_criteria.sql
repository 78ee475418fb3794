-- Whether the case c meets all criteria: meetsCriteria of core, in SQL. A test keeps the two equal.
-- In: search_cases, find_by_value, find_in_range, count_found, count_by_value, count_in_range.
-- $1 to $5 as readable_state says; $6 tenant, $7 case type, $8 states; $9 only those with an open review; $10 business key;
-- $11 unchanged since (epoch ms); $12 kind of the last failure; $13 owner; $14 steps (caseType, step; a step of null = none);
-- $15 part of a text; $16 what may be seen (tenants, caseTypes); $17 states as people read them;
-- $18 only those with a move that waits for a second person; $19 the case that started it; $20 values that it is
-- found by (name, and value, or of a number from and to). Null = any. $21 whose it is, null among them = nobody's;
-- $22 only those that have not ended or have an open review; $23 only those that need a person; $24 only those that a person
-- was due to deal with, so long (ms) after that began where nothing says when.
($6::text is null or c.tenant = $6::text)
and ($7::text is null or c.case_type = $7::text)
and ($8::text[] is null or c.state = any ($8::text[]))
and (c.has_review or not $9::boolean)
and ($10::text is null or c.business_key = $10::text)
and ($19::text is null or c.parent_id = $19::text)
and ($11::float8 is null or c.changed_at <= to_timestamp($11::float8 / 1000))
and ($12::text is null or c.summary #>> '{lastFailure,kind}' = $12::text)
and (
  $13::text is null
  or c.summary @> jsonb_build_object('reviews', jsonb_build_array(jsonb_build_object('owner', $13::text)))
  or c.summary @> jsonb_build_object(
    'waits', jsonb_build_array(jsonb_build_object('kind', 'approval', 'by', $13::text))
  )
  or c.summary @> jsonb_build_object(
    'waits', jsonb_build_array(jsonb_build_object('kind', 'access', 'owner', $13::text))
  )
  or exists (
    select from jsonb_array_elements(c.summary -> 'waits') as waits (wait)
    where waits.wait #>> '{escalation,to}' = $13::text
      and (waits.wait #>> '{escalation,at}')::bigint <= floor(extract(epoch from now()) * 1000)
  )
)
and (
  $14::jsonb is null
  or exists (
    select from jsonb_to_recordset($14::jsonb) as wanted ("caseType" text, step text)
    where wanted."caseType" = c.case_type
      and case
        when wanted.step is null then not exists (select from {{steps_stood_at}})
        else exists (select from {{steps_stood_at}} where standing.step = wanted.step)
      end
  )
)
and (
  $15::text is null
  or position(lower($15::text collate "C") in lower(c.case_id collate "C")) > 0
  or position(lower($15::text collate "C") in lower(c.business_key collate "C")) > 0
  or position(lower($15::text collate "C") in lower((c.summary #>> '{lastFailure,sentence}') collate "C")) > 0
  or exists (
    select from jsonb_array_elements(c.summary -> 'reviews') as open (review)
    where position(lower($15::text collate "C") in lower((open.review ->> 'sentence') collate "C")) > 0
  )
)
and (
  $20::jsonb is null
  or not exists (
    select from jsonb_to_recordset($20::jsonb) as sought (name text, value text, "from" float8, "to" float8)
    where not exists (
      select from jsonb_to_recordset(c.summary -> 'search') as found (name text, value text, number float8)
      where found.name = sought.name
        and case
          when sought.value is not null then found.value = sought.value
          else found.number between coalesce(sought."from", '-infinity'::float8)
            and coalesce(sought."to", 'infinity'::float8)
        end
    )
  )
)
and (
  $16::jsonb is null
  or exists (
    select from jsonb_to_recordset($16::jsonb) as visible (tenants jsonb, "caseTypes" jsonb)
    where (visible.tenants is null or visible.tenants = 'null' or visible.tenants ? c.tenant)
      and (visible."caseTypes" is null or visible."caseTypes" = 'null' or visible."caseTypes" ? c.case_type)
  )
)
and (
  $17::text[] is null
  or {{readable_state}} = any ($17::text[])
)
and (
  not $18::boolean
  or exists (
    select from foothold.second_requests as asked
    where asked.shard = c.shard and asked.case_id = c.case_id and asked.state = 'open' and asked.ends_at > now()
  )
)
and (
  $21::text[] is null
  or c.summary #>> '{assignee,id}' = any ($21::text[])
  or (c.summary #>> '{assignee,id}' is null and array_position($21::text[], null) is not null)
)
and (not $22::boolean or c.has_review or c.state not in ('done', 'canceled'))
and (
  not $23::boolean
  or c.has_review
  or c.summary @> '{"waits": [{"kind": "approval"}]}'
  or c.summary @> '{"waits": [{"kind": "access"}]}'
)
and (
  $24::float8 is null
  or (
    c.state <> 'paused'
    and jsonb_typeof(c.summary -> 'repair') is distinct from 'object'
    and (
      exists (
        select
        from jsonb_array_elements(c.summary -> 'reviews') as open (review)
        where to_timestamp(coalesce(
          (open.review #>> '{window,dueAt}')::float8,
          $24::float8 + coalesce(
            (
              select (problems.value ->> 'sinceAt')::float8
              from jsonb_array_elements(c.summary -> 'problems') with ordinality as problems (value, number)
              where problems.value ->> 'step' = open.review ->> 'step'
              order by problems.number
              limit 1
            ),
            extract(epoch from c.changed_at) * 1000
          )
        ) / 1000) <= now()
      )
      or (
        c.changed_at + $24::float8 * interval '1 millisecond' <= now()
        and (c.summary @> '{"waits": [{"kind": "approval"}]}' or c.summary @> '{"waits": [{"kind": "access"}]}')
      )
    )
  )
)
