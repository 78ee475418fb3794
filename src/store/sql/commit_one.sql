-- Stores the commit of one case with at most four entries, as commit_batch does for many. Values instead of arrays let
-- the server keep one plan and save it the unnesting: a lone commit is what a case without company waits for. Returns
-- one row if it was stored.
-- Caller: commit, with one. Lock order: one case. Index: cases_pkey.
-- $1 shard, $2 case id, $3 claim id, $4 revision made on, then what the row becomes: $5 revision, $6 changed_at,
-- $7 state, $8 due_at, $9 summary, $10 has_review, $11 act within, ms (null = the claim is freed);
-- $12 when, $13 commit id; then four times kind (null = no entry), step, credential and body: $14 to $17, $18 to $21,
-- $22 to $25, $26 to $29; the lineage of the journal: $30 that it was made on, $31 that it becomes;
-- $32 definition_version; $33 to $36 how each of the four bodies is written. Times in epoch ms.
with moved as (
  update foothold.cases as c
  set revision = $5::integer,
    lineage = $31::text,
    definition_version = $32::integer,
    changed_at = to_timestamp($6::float8 / 1000),
    summary = $9::jsonb,
    has_review = $10::boolean,
    state = case when $11::integer is null then $7::text else 'claimed' end,
    due_at = case when $11::integer is null then to_timestamp($8::float8 / 1000) end,
    resting_state = case when $11::integer is not null then $7::text end,
    resting_due_at = case when $11::integer is not null then to_timestamp($8::float8 / 1000) end,
    claim_id = case when $11::integer is not null then c.claim_id end,
    holder_id = case when $11::integer is not null then c.holder_id end,
    claimed_at = case when $11::integer is not null then c.claimed_at end,
    act_by_at = now() + $11::integer * interval '1 millisecond',
    act_within_ms = $11::integer,
    claim_touches = case when $11::integer is not null then c.claim_touches + 1 end
  where c.shard = $1::smallint and c.case_id = $2::text and c.claim_id = $3::text and c.revision = $4::integer
    and c.lineage = $30::text
  returning c.shard, c.case_id, c.tenant, c.definition_version, c.engine_version
),
written as (
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
    codec, body, body_hash
  )
  select
    m.shard, m.case_id, $4::integer + e.n, to_timestamp($12::float8 / 1000), e.kind, e.step, $13::text, m.tenant,
    m.definition_version, m.engine_version, e.credential_id, e.codec, e.body, sha256(e.body)
  from moved as m
  cross join (
    values
      (1, $14::text, $15::text, $16::text, $17::bytea, $33::text),
      (2, $18::text, $19::text, $20::text, $21::bytea, $34::text),
      (3, $22::text, $23::text, $24::text, $25::bytea, $35::text),
      (4, $26::text, $27::text, $28::text, $29::bytea, $36::text)
  ) as e (n, kind, step, credential_id, body, codec)
  where e.kind is not null
)
select 1 as n from moved;
