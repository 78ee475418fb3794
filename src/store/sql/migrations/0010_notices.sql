-- Notices: what owners were told, and the messages that tell them.
-- Readable from: 1
-- An engine that does not know the tables tells nobody.
-- Caller: migrate. Lock order: cases for the index, then new tables.

-- Cases that wait for people without an end, such as approvals; those with one are found by their due time.
create index cases_open_ended on foothold.cases (started_at)
  where state = 'waiting' and due_at is null;

create table foothold.turns (
  name text collate "C" not null,
  next_at timestamptz not null,
  constraint turns_pkey primary key (name)
);

comment on table foothold.turns is 'What one process of all does every so often.';
comment on column foothold.turns.next_at is 'Before this nobody does it again.';

create table foothold.notices (
  notice_id text collate "C" not null,
  owner text not null,
  subject jsonb not null,
  title text not null,
  version integer not null,
  opened_at timestamptz not null,
  tellings integer not null,
  told_at timestamptz not null,
  told_cases integer not null,
  overdue_told_at timestamptz,
  gone_at timestamptz,
  over_at timestamptz,
  targets jsonb not null,
  constraint notices_pkey primary key (notice_id)
);

comment on table foothold.notices is 'What an owner was told of: one for all cases that one act, or one place, is needed for.';
comment on column foothold.notices.notice_id is 'Digest of the owner and what is needed.';
comment on column foothold.notices.subject is 'What is needed.';
comment on column foothold.notices.title is 'Of what was told last.';
comment on column foothold.notices.version is 'Rises with every change. Whoever changes it compares it first.';
comment on column foothold.notices.tellings is 'How often it was told since it was opened.';
comment on column foothold.notices.told_cases is 'Cases of the last telling.';
comment on column foothold.notices.overdue_told_at is 'When it was last told to be overdue.';
comment on column foothold.notices.gone_at is 'Since when no case needs it any more.';
comment on column foothold.notices.over_at is 'When it ended. Opened again when it comes back.';
comment on column foothold.notices.targets is 'Who was told since it was opened.';

create index notices_open on foothold.notices (opened_at, notice_id)
  where over_at is null;
create index notices_over on foothold.notices (over_at)
  where over_at is not null;

create table foothold.messages (
  message_id text collate "C" not null,
  notice_id text collate "C" not null,
  owner text not null,
  telling integer not null,
  channel text collate "C" not null,
  recipient text not null,
  target jsonb not null,
  content jsonb not null,
  state text collate "C" not null,
  created_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null,
  throttles integer not null,
  failing_since_at timestamptz,
  failure jsonb,
  claim_id text collate "C",
  claimed_until timestamptz,
  ended_at timestamptz,
  constraint messages_pkey primary key (message_id),
  constraint messages_state check (state in ('waiting', 'claimed', 'sent', 'undeliverable', 'dropped')),
  constraint messages_claim check ((state = 'claimed') = (claim_id is not null and claimed_until is not null)),
  constraint messages_end check ((state in ('sent', 'undeliverable', 'dropped')) = (ended_at is not null))
);

comment on table foothold.messages is 'What tells an owner of a notice, one for each place that it goes to.';
comment on column foothold.messages.message_id is
  'The same whenever it is sent, so that who receives it can tell a repeat.';
comment on column foothold.messages.telling is 'Which telling of its notice; they reach one place in this order.';
comment on column foothold.messages.recipient is 'Within the channel, such as an address; empty where the channel has one place.';
comment on column foothold.messages.state is
  'An `undeliverable` one waits for a person. A `dropped` one was over before it could be sent.';
comment on column foothold.messages.attempts is
  'Times that it was begun; one that was begun by a process that was killed counts.';
comment on column foothold.messages.failure is 'The last one.';
comment on column foothold.messages.claimed_until is 'When whoever sends it is taken to be gone.';

create index messages_due on foothold.messages (due_at)
  where state in ('waiting', 'claimed');
create index messages_order on foothold.messages (notice_id, channel, recipient, telling)
  where state in ('waiting', 'claimed');
create index messages_created on foothold.messages (created_at desc, message_id);
create index messages_undeliverable on foothold.messages (created_at desc)
  where state = 'undeliverable';
create index messages_ended on foothold.messages (ended_at)
  where ended_at is not null;
