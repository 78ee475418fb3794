-- Stores what a change under the case's lock decided: the row, its new journal entries, and a hint where it became due.
-- Caller: changeCase, and commit where it judges a case by itself. Lock order: one case, locked before.
-- Index: cases_pkey.
-- $1 shard, $2 case id, $3 revision, $4 changed_at, $5 state, $6 due_at, $7 summary, $8 has_review,
-- $9 whether it is claimed then, $10 act within, ms, from now on (null = the claim is not touched);
-- $11 when, $12 commit id, $13 revision before, $14 lineage after; then one for each entry: $15 kind, $16 step,
-- $17 credential, $18 body; $19 the schema to hint about, null = none; $20 claim id and $21 holder of one that takes
-- the case, null = as they are; $22 what the change is known by when it comes again, on its first entry;
-- $23 definition_version; of each entry $24 how its body is written. Times in epoch ms.
with moved as (
  update foothold.cases as c
  set revision = $3::integer,
    lineage = $14::text,
    definition_version = $23::integer,
    changed_at = to_timestamp($4::float8 / 1000),
    summary = $7::jsonb,
    has_review = $8::boolean,
    -- Its parent may know of the end that it comes back from, with no note of that: then it would stand as is noted.
    told = case
      when c.told is not null and c.state in ('done', 'canceled') and $5::text not in ('done', 'canceled') then 'telling'
      else c.told
    end,
    state = case when $9::boolean then 'claimed' else $5::text end,
    due_at = case when not $9::boolean then to_timestamp($6::float8 / 1000) end,
    held_since_at = null,
    resting_state = case when $9::boolean then $5::text end,
    resting_due_at = case when $9::boolean then to_timestamp($6::float8 / 1000) end,
    claim_id = case when $9::boolean then coalesce($20::text, c.claim_id) end,
    holder_id = case when $9::boolean then coalesce($21::text, c.holder_id) end,
    claimed_at = case when $9::boolean then case when $20::text is null then c.claimed_at else now() end end,
    act_by_at = case
      when $9::boolean then coalesce(now() + $10::integer * interval '1 millisecond', c.act_by_at)
    end,
    act_within_ms = case when $9::boolean then coalesce($10::integer, c.act_within_ms) end,
    claim_touches = case
      when not $9::boolean then null
      when $20::text is not null then 0
      else c.claim_touches + case when $10::integer is null then 0 else 1 end
    end
  where c.shard = $1::smallint and c.case_id = $2::text
  returning c.shard, c.case_id, c.tenant, c.definition_version, c.engine_version
),
written as (
  insert into foothold.journal (
    shard, case_id, revision, at, kind, step, commit_id, tenant, definition_version, engine_version, credential_id,
    source_id, codec, body, body_hash
  )
  select
    m.shard, m.case_id, $13::integer + e.n, to_timestamp($11::float8 / 1000), e.kind, e.step, $12::text, m.tenant,
    m.definition_version, m.engine_version, e.credential_id, case when e.n = 1 then $22::text end,
    e.codec, e.body, sha256(e.body)
  from moved as m
  cross join unnest($15::text[], $16::text[], $17::text[], $18::bytea[], $24::text[])
    with ordinality as e (kind, step, credential_id, body, codec, n)
)
select case when $19::text is not null then pg_notify('foothold_due', $19::text) end from moved;
