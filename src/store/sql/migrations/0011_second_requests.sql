-- Moves that wait for a second person.
-- Readable from: 1
-- An engine that does not know the table asks nobody, and answers no request.
-- Caller: migrate. Lock order: new table only.

create table foothold.second_requests (
  shard smallint not null,
  request_id text collate "C" not null,
  case_id text collate "C" not null,
  move text collate "C" not null,
  request jsonb not null,
  step text,
  plan text collate "C" not null,
  reason text,
  asked_by jsonb not null,
  asked_at timestamptz not null,
  ends_at timestamptz not null,
  state text collate "C" not null,
  answered_by jsonb,
  answered_at timestamptz,
  why text,
  constraint second_requests_pkey primary key (shard, request_id),
  constraint second_requests_state check (state in ('open', 'approved', 'declined', 'void')),
  constraint second_requests_answer check ((state = 'open') = (answered_by is null)),
  -- Also held by the database: nobody approves what they asked for.
  constraint second_requests_another check (state <> 'approved' or answered_by <> asked_by)
);

comment on table foothold.second_requests is 'Moves that wait for a second person, and what became of each.';
comment on column foothold.second_requests.shard is 'That of its case.';
comment on column foothold.second_requests.request is 'What the move is made with.';
comment on column foothold.second_requests.plan is 'The plan version that it is bound to. Once that changed, it is void.';
comment on column foothold.second_requests.ends_at is 'Until when somebody has to answer.';
comment on column foothold.second_requests.why is 'Why it was declined, or is void.';

create index second_requests_open on foothold.second_requests (asked_at)
  where state = 'open';
create index second_requests_case on foothold.second_requests (shard, case_id)
  where state = 'open';
