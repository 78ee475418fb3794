-- Stores the commits of many cases: of each whose claim, revision and lineage are still those that the commit was made
-- on, the row and its journal entries. Returns the numbers of the commits that were stored; the caller judges the others.
-- Caller: commit, with two or more. Lock order: cases by shard and case_id, as the caller has sorted them.
-- Index: cases_pkey, case by case. The two conditions of `input` are always true; with them the planner expects one
-- row and takes the index even when it planned on a table that was still empty, and keeps to the order.
-- $1 shards, $2 case ids, $3 claim ids, $4 revisions made on, then what the row becomes: $5 revision, $6 changed_at,
-- $7 state, $8 due_at, $9 summary, $10 has_review, $11 act within, ms (null = the claim is freed);
-- $12 when, $13 commit ids; then one for each entry, in the order of the commits: $14 number of its commit,
-- $15 revision, $16 kind, $17 step, $18 credential, $19 body; then again one for each commit, the lineage of the journal:
-- $20 that it was made on, $21 that it becomes, and $22 definition_version; of each entry $23 how its body is written.
-- Times in epoch ms.
with input as (
  select *
  from unnest(
    $1::smallint[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::float8[], $7::text[], $8::float8[],
    $9::jsonb[], $10::boolean[], $11::integer[], $12::float8[], $13::text[],
    $20::text[], $21::text[], $22::integer[]
  ) with ordinality as i (
    shard, case_id, claim_id, made_on, revision, changed_at, state, due_at, summary, has_review, act_within_ms, at,
    commit_id, made_on_lineage, lineage, definition_version, n
  )
  where i.made_on >= 1 and i.revision >= i.made_on
),
moved as (
  update foothold.cases as c
  set revision = i.revision,
    lineage = i.lineage,
    definition_version = i.definition_version,
    changed_at = to_timestamp(i.changed_at / 1000),
    summary = i.summary,
    has_review = i.has_review,
    state = case when i.act_within_ms is null then i.state else 'claimed' end,
    due_at = case when i.act_within_ms is null then to_timestamp(i.due_at / 1000) end,
    resting_state = case when i.act_within_ms is not null then i.state end,
    resting_due_at = case when i.act_within_ms is not null then to_timestamp(i.due_at / 1000) end,
    claim_id = case when i.act_within_ms is not null then c.claim_id end,
    holder_id = case when i.act_within_ms is not null then c.holder_id end,
    claimed_at = case when i.act_within_ms is not null then c.claimed_at end,
    act_by_at = now() + i.act_within_ms * interval '1 millisecond',
    act_within_ms = i.act_within_ms,
    claim_touches = case when i.act_within_ms is not null then c.claim_touches + 1 end
  from input as i
  where c.shard = i.shard and c.case_id = i.case_id and c.claim_id = i.claim_id and c.revision = i.made_on
    and c.lineage = i.made_on_lineage
  returning i.n, i.at, i.commit_id, c.shard, c.case_id, c.tenant, c.definition_version, c.engine_version
),
written as (
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
    codec, body, body_hash
  )
  select
    m.shard, m.case_id, e.revision, to_timestamp(m.at / 1000), e.kind, e.step, m.commit_id, m.tenant,
    m.definition_version, m.engine_version, e.credential_id, e.codec, e.body, sha256(e.body)
  from moved as m
  join unnest($14::integer[], $15::integer[], $16::text[], $17::text[], $18::text[], $19::bytea[], $23::text[])
    as e (n, revision, kind, step, credential_id, body, codec) on e.n = m.n
)
select n::integer from moved;
