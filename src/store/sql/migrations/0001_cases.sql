-- The first schema: cases, their journal, and the holders of claims.
-- Readable from: 1
-- Caller: migrate. Lock order: new tables only.
--
-- Keys lead with the shard, so that the same tables can be distributed by it. There are no foreign keys, sequences or
-- triggers: each would tie a commit to more than the rows it is about.

-- What a single column may hold is said by domains: the server keeps them compiled, while it reads each check constraint
-- of a table anew for every statement (measured: 10 to 15 microseconds each, of about 30 for the whole update).
create domain foothold.revision as integer check (value >= 1);
create domain foothold.case_state as text collate "C" check (
  value in ('ready', 'claimed', 'waiting', 'paused', 'in_review', 'done', 'canceled')
);
create domain foothold.resting_state as text collate "C" check (
  value in ('ready', 'waiting', 'paused', 'in_review', 'done', 'canceled')
);
create domain foothold.sha256 as bytea check (octet_length(value) = 32);

-- A case: what must be claimed, searched or listed. All but the claim follows from the journal.
create table foothold.cases (
  shard smallint not null,
  case_id text collate "C" not null,
  tenant text collate "C" not null,
  case_type text collate "C" not null,
  business_key text collate "C",
  -- A worker with a lower one of either cannot claim the case.
  definition_version integer not null,
  engine_version integer not null,
  state foothold.case_state not null,
  -- When the case must be looked at; null while it is claimed.
  due_at timestamptz,
  revision foothold.revision not null,
  started_at timestamptz not null,
  changed_at timestamptz not null,
  summary jsonb not null,
  has_review boolean not null,
  claim_id text collate "C",
  holder_id text collate "C",
  claimed_at timestamptz,
  act_by_at timestamptz,
  act_within_ms integer,
  -- Rises with every commit of the claim.
  claim_touches integer,
  -- What the row becomes again when its claim is freed and the journal says nothing new. They are columns of their own
  -- so that a commit under a claim changes no indexed column (a heap-only update, which writes to no index).
  resting_state foothold.resting_state,
  resting_due_at timestamptz,
  constraint cases_pkey primary key (shard, case_id),
  -- A case is claimed if and only if it has a claim; only ready, waiting and paused ones can be due, ready ones must be.
  -- One constraint for all of it, see the domains.
  constraint cases_state_is_whole check (
    num_nulls(claim_id, holder_id, claimed_at, act_by_at, resting_state)
      = case state when 'claimed' then 0 else 5 end
    and case
      when state = 'ready' then due_at is not null
      when state in ('waiting', 'paused') then true
      else due_at is null
    end
  )
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- One case per business key; the shard is computed from tenant, type and key. The key comes second so that one can be
-- looked up in every shard without knowing its type.
create unique index cases_business_key on foothold.cases (shard, business_key, case_type, tenant)
  where business_key is not null;

-- What is due, longest first.
create index cases_due on foothold.cases (due_at)
  where state in ('ready', 'waiting', 'paused') and due_at is not null;

-- What is claimed: few rows, read by heartbeats and the sweep. It is not an index on the holder: a planner that has
-- seen few holders would use that one to find the cases of a commit, and read every claim of the holder for each.
create index cases_claimed on foothold.cases (shard, case_id)
  where state = 'claimed';

-- Lists, newest start first; and of those with an open review alone.
create index cases_started on foothold.cases (started_at desc, case_id desc);
create index cases_review on foothold.cases (started_at desc, case_id desc)
  where has_review;

-- The history of every case, appended to and never changed.
--
-- Ready for partitions by time: nothing refers to it and every statement names its columns. To partition it, create a
-- table with these columns `partition by range (at)` and the key (shard, case_id, revision, at), attach this one as the
-- partition of all that was, and swap the names, in one transaction. A revision then stays unique within a case by the
-- guard of the case's row.
create table foothold.journal (
  shard smallint not null,
  case_id text collate "C" not null,
  revision foothold.revision not null,
  at timestamptz not null,
  kind text collate "C" not null,
  step text,
  commit_id text collate "C" not null,
  tenant text collate "C" not null,
  definition_version integer not null,
  engine_version integer not null,
  credential_id text,
  -- How the body is written: `json` is the canonical JSON of the entry in UTF-8.
  codec text collate "C" not null,
  body bytea not null,
  -- SHA-256 of the body.
  body_hash foothold.sha256 not null,
  constraint journal_pkey primary key (shard, case_id, revision)
);

-- Worker processes and open pages. A holder that ended never comes back.
create table foothold.holders (
  holder_id text collate "C" not null,
  kind text collate "C" not null,
  name text not null,
  host text not null,
  build text not null,
  lease_ms integer not null,
  case_types jsonb not null,
  -- Rises with every heartbeat. The sweep compares it, never the time.
  beat integer not null,
  beat_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  constraint holders_pkey primary key (holder_id),
  constraint holders_kind check (kind in ('worker', 'page')),
  constraint holders_lease check (lease_ms > 0)
) with (fillfactor = 50);
