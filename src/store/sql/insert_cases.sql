-- Stores many new cases, each with its first journal entries, as insert_case does for one, and hints once where any is due.
-- Returns the numbers of those that were stored; of the others the id or the business key is taken: find_start tells
-- which. Of two with the same business key the first is stored.
-- Caller: insertCases, with two or more, no two of the same id. Lock order: cases in the order that the caller has sorted
-- them in, by shard and business key. Index: cases_pkey and cases_key_held, by their constraints.
-- One for each case: $1 shards, $2 case ids, $3 tenants, $4 case types, $5 business keys, $6 definition versions, $7 engine
-- versions, $8 revisions, $9 started_at, $10 changed_at, $11 states, $12 due_at, $13 summaries, $14 has_review, $15 claim
-- ids (null = not claimed), $16 holders, $17 act within, ms, $18 when, $19 commit ids, $20 lineages; then one for each
-- entry, in the order of the cases: $21 number of its case, $22 revision, $23 kind, $24 step, $25 credential, $26 body;
-- $27 the schema to hint about, null = none; for each case again $28 what frees the business key, $29 priority;
-- for each entry again $30 how its body is written. Times in epoch ms.
with input as (
  select *
  from unnest(
    $1::smallint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::integer[],
    $9::float8[], $10::float8[], $11::text[], $12::float8[], $13::jsonb[], $14::boolean[], $15::text[], $16::text[],
    $17::integer[], $18::float8[], $19::text[], $20::text[], $28::text[], $29::smallint[]
  ) with ordinality as i (
    shard, case_id, tenant, case_type, business_key, definition_version, engine_version, revision, started_at,
    changed_at, state, due_at, summary, has_review, claim_id, holder_id, act_within_ms, at, commit_id, lineage,
    key_freed_by, priority, n
  )
),
started as (
  insert into foothold.cases (
    shard, case_id, tenant, case_type, business_key, definition_version, engine_version, revision, lineage, started_at,
    changed_at, summary, has_review, state, due_at, resting_state, resting_due_at, claim_id, holder_id, claimed_at,
    act_by_at, act_within_ms, claim_touches, key_freed_by, priority, parent_id, told, concurrency_key
  )
  select
    i.shard, i.case_id, i.tenant, i.case_type, i.business_key, i.definition_version, i.engine_version, i.revision,
    i.lineage, to_timestamp(i.started_at / 1000), to_timestamp(i.changed_at / 1000), i.summary, i.has_review,
    case when i.claim_id is null then i.state else 'claimed' end,
    case when i.claim_id is null then to_timestamp(i.due_at / 1000) end,
    case when i.claim_id is not null then i.state end,
    case when i.claim_id is not null then to_timestamp(i.due_at / 1000) end,
    i.claim_id, i.holder_id,
    case when i.claim_id is not null then now() end,
    case when i.claim_id is not null then now() + i.act_within_ms * interval '1 millisecond' end,
    i.act_within_ms,
    case when i.claim_id is not null then 0 end,
    i.key_freed_by, i.priority,
    i.summary #>> '{parent,caseId}',
    case when i.summary ? 'parent' then 'running' end,
    i.summary ->> 'concurrencyKey'
  from input as i
  order by i.n
  on conflict do nothing
  returning shard, case_id, summary, started_at
),
indexed as (
  insert into foothold.search_values (shard, case_id, name, value, number, started_at)
  select s.shard, s.case_id, v.name, v.value, v.number, s.started_at
  from started as s
  cross join jsonb_to_recordset(s.summary -> 'search') as v (name text, value text, number float8)
  on conflict do nothing
),
stored as (
  select i.n, i.shard, i.case_id, i.tenant, i.definition_version, i.engine_version, i.at, i.commit_id
  from started as s
  join input as i on i.case_id = s.case_id
),
written as (
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
    codec, body, body_hash
  )
  select
    s.shard, s.case_id, e.revision, to_timestamp(s.at / 1000), e.kind, e.step, s.commit_id, s.tenant,
    s.definition_version, s.engine_version, e.credential_id, e.codec, e.body, sha256(e.body)
  from stored as s
  join unnest($21::integer[], $22::integer[], $23::text[], $24::text[], $25::text[], $26::bytea[], $30::text[])
    as e (n, revision, kind, step, credential_id, body, codec) on e.n = s.n
),
hinted as (
  select case when $27::text is not null then pg_notify('foothold_due', $27::text) end as told
)
select s.n::integer, h.told::text from stored as s cross join hinted as h;
