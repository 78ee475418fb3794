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
  value in ('ready', 'waiting', 'paused', 'in_review')
);
create domain foothold.body_hash as bytea check (octet_length(value) = 32);

create table foothold.cases (
  shard smallint not null,
  case_id text collate "C" not null,
  tenant text collate "C" not null,
  case_type text collate "C" not null,
  business_key text collate "C",
  definition_version integer not null,
  engine_version integer not null,
  state foothold.case_state not null,
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
  claim_touches integer,
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

comment on table foothold.cases is
  'A case: what must be claimed, searched or listed. All but the claim follows from the journal.';
comment on column foothold.cases.shard is
  'One of 32 virtual shards: computed from tenant, type and business key where there is one, else random.';
comment on column foothold.cases.case_id is 'Begins with the two digits of the shard.';
comment on column foothold.cases.business_key is 'At most one case per tenant and type has it.';
comment on column foothold.cases.definition_version is 'A worker whose definition is older cannot claim the case.';
comment on column foothold.cases.engine_version is 'A worker whose engine is older cannot claim the case.';
comment on column foothold.cases.due_at is
  'When the case must be looked at. Null while it is claimed, and where only a person or an event moves it.';
comment on column foothold.cases.revision is 'Number of the last journal entry.';
comment on column foothold.cases.changed_at is 'When that entry was written.';
comment on column foothold.cases.summary is
  'What a list shows: steps confirmed, waits, reviews, unsettled steps, last failure.';
comment on column foothold.cases.has_review is 'Whether the summary has an open review.';
comment on column foothold.cases.claim_id is 'Random, made by the holder before the claim. The guard of its commits.';
comment on column foothold.cases.act_by_at is
  'When the claim ends if its holder commits nothing more. For people; the sweep measures by its own clock.';
comment on column foothold.cases.act_within_ms is 'How long the claim may go without a commit, in ms.';
comment on column foothold.cases.claim_touches is 'Rises with every commit of the claim. The sweep compares it.';
-- Columns of their own, so that a commit under a claim changes no indexed column: such an update writes to no index.
comment on column foothold.cases.resting_state is
  'What `state` becomes again when the claim is freed and the journal says nothing new. Null unless claimed.';
comment on column foothold.cases.resting_due_at is 'The same for `due_at`.';

-- The shard is computed from the other three, so this holds over all shards. The business key comes second so that one can
-- be looked up in every shard without knowing its type.
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
  codec text collate "C" not null,
  body bytea not null,
  body_hash foothold.body_hash not null,
  constraint journal_pkey primary key (shard, case_id, revision)
);

comment on table foothold.journal is
  'The history of every case: appended to, never changed. The only truth about a case.';
comment on column foothold.journal.revision is '1 for the first entry of a case, then without gaps.';
comment on column foothold.journal.kind is 'What kind of entry it is, also in the body.';
comment on column foothold.journal.step is 'The step it speaks of.';
comment on column foothold.journal.commit_id is
  'Random, the same for all entries of one commit; tells a commit that is sent again.';
comment on column foothold.journal.credential_id is 'The credential that the intent is sent with.';
comment on column foothold.journal.codec is
  'How the body is written. `json`: the canonical JSON of the entry, in UTF-8.';
comment on column foothold.journal.body_hash is 'SHA-256 of the body, compared whenever it is read.';

create table foothold.holders (
  holder_id text collate "C" not null,
  kind text collate "C" not null,
  name text not null,
  host text not null,
  build text not null,
  lease_ms integer not null,
  case_types jsonb not null,
  beat integer not null,
  beat_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  constraint holders_pkey primary key (holder_id),
  constraint holders_kind check (kind in ('worker', 'page')),
  constraint holders_lease check (lease_ms > 0)
) with (fillfactor = 50);

comment on table foothold.holders is 'Worker processes and open pages that hold claims, or held some lately.';
comment on column foothold.holders.holder_id is 'Random for each start, never used again.';
comment on column foothold.holders.name is 'A label for people, as are host and build.';
comment on column foothold.holders.lease_ms is 'How long it may be silent, in ms.';
comment on column foothold.holders.case_types is 'What it can run: names and versions.';
comment on column foothold.holders.beat is 'Rises with every heartbeat. The sweep compares it, never a time.';
comment on column foothold.holders.ended_at is 'Set by the sweep or by an orderly stop; then the holder never comes back.';

comment on table foothold.schema_info is 'The version of this schema, in its one row.';
comment on column foothold.schema_info.is_only is 'Always true: there is one row.';
comment on column foothold.schema_info.version is 'Number of the last migration applied.';
comment on column foothold.schema_info.readable_from is 'Engines that know a lower version than this are refused.';
