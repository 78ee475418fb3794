-- Stores a new case with its first journal entries, claimed by its starter or not, and hints where it is due. Returns
-- one row if it was stored, none if its id or its business key is taken: find_start then tells which.
-- Caller: insertCase. Lock order: one case, new. Index: cases_pkey and cases_key_held, by their constraints.
-- $1 shard, $2 case id, $3 tenant, $4 case type, $5 business key, $6 definition version, $7 engine version,
-- $8 revision, $9 started_at, $10 changed_at, $11 state, $12 due_at, $13 summary, $14 has_review,
-- $15 claim id (null = not claimed), $16 holder, $17 act within, ms;
-- $18 when, $19 commit id, $20 lineage; then one for each entry: $21 kind, $22 step, $23 credential, $24 body;
-- $25 the schema to hint about, null = none; $26 what frees the business key, $27 priority;
-- of each entry $28 how its body is written. Times in epoch ms.
with started as (
  insert into foothold.cases (
    shard, case_id, tenant, case_type, business_key, definition_version, engine_version, revision, lineage, started_at,
    changed_at, summary, has_review, state, due_at, resting_state, resting_due_at, claim_id, holder_id, claimed_at,
    act_by_at, act_within_ms, claim_touches, key_freed_by, priority, parent_id, told, concurrency_key
  )
  values (
    $1::smallint, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::integer, $8::integer, $20::text,
    to_timestamp($9::float8 / 1000), to_timestamp($10::float8 / 1000), $13::jsonb, $14::boolean,
    case when $15::text is null then $11::text else 'claimed' end,
    case when $15::text is null then to_timestamp($12::float8 / 1000) end,
    case when $15::text is not null then $11::text end,
    case when $15::text is not null then to_timestamp($12::float8 / 1000) end,
    $15::text, $16::text,
    case when $15::text is not null then now() end,
    case when $15::text is not null then now() + $17::integer * interval '1 millisecond' end,
    $17::integer,
    case when $15::text is not null then 0 end,
    $26::text, $27::smallint,
    $13::jsonb #>> '{parent,caseId}',
    case when $13::jsonb ? 'parent' then 'running' end,
    $13::jsonb ->> 'concurrencyKey'
  )
  on conflict do nothing
  returning shard, case_id, tenant, definition_version, engine_version, summary, started_at
),
indexed as (
  insert into foothold.search_values (shard, case_id, name, value, number, started_at)
  select s.shard, s.case_id, v.name, v.value, v.number, s.started_at
  from started as s
  cross join jsonb_to_recordset(s.summary -> 'search') as v (name text, value text, number float8)
  on conflict do nothing
),
written as (
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
    codec, body, body_hash
  )
  select
    s.shard, s.case_id, e.n, to_timestamp($18::float8 / 1000), e.kind, e.step, $19::text, s.tenant,
    s.definition_version, s.engine_version, e.credential_id, e.codec, e.body, sha256(e.body)
  from started as s
  cross join unnest($21::text[], $22::text[], $23::text[], $24::bytea[], $28::text[])
    with ordinality as e (kind, step, credential_id, body, codec, n)
)
select 1 as n, case when $25::text is not null then pg_notify('foothold_due', $25::text) end::text as told from started;
