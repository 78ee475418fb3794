-- Audit lines of what people did and were refused; and seals, which show whether somebody changed these or a journal by hand.
-- Readable from: 1
-- An engine that does not know the tables writes no lines and makes no seals.
-- Caller: migrate. Lock order: new tables only.

create table foothold.audit (
  shard smallint not null,
  audit_id text collate "C" not null,
  at timestamptz not null,
  act text collate "C" not null,
  outcome text collate "C" not null,
  code text collate "C",
  who text,
  person_id text collate "C",
  case_id text collate "C",
  about text,
  plan text collate "C",
  codec text collate "C" not null,
  body bytea not null,
  body_hash foothold.body_hash not null,
  seal_no integer,
  constraint audit_pkey primary key (shard, audit_id),
  constraint audit_outcome check (outcome in ('done', 'requested', 'refused'))
);

comment on table foothold.audit is
  'What people did and were refused, one line each. Written with the act, then changed by nothing but its seal.';
comment on column foothold.audit.shard is 'That of its case; 0 where it is about none.';
comment on column foothold.audit.act is 'A move, or such as signIn.';
comment on column foothold.audit.code is 'Of the refusal.';
comment on column foothold.audit.who is 'The name that it is told by.';
comment on column foothold.audit.about is 'The step, or what a line without a case is about, such as the name of a person.';
comment on column foothold.audit.plan is 'The plan version that the person saw.';
comment on column foothold.audit.codec is 'How the body is written. `json`: canonical JSON in UTF-8.';
comment on column foothold.audit.body is 'Why, what became of it, and how it was before and after.';
comment on column foothold.audit.body_hash is 'SHA-256 of the body. The seal is over this, so that a body may be erased.';
comment on column foothold.audit.seal_no is 'The seal of its shard that it is in. Null = none took it yet.';

create index audit_at on foothold.audit (at desc, audit_id desc);
create index audit_case on foothold.audit (case_id, at desc) where case_id is not null;
create index audit_seal on foothold.audit (shard, seal_no);

create table foothold.seals (
  shard smallint not null,
  seal_no integer not null,
  sealed_at timestamptz not null,
  previous foothold.body_hash not null,
  hash foothold.body_hash not null,
  body jsonb not null,
  constraint seals_pkey primary key (shard, seal_no)
);

comment on table foothold.seals is
  'One chain of seals for each shard, over the hashes of journal entries and audit lines. Never changed.';
comment on column foothold.seals.seal_no is 'From 1, without gaps.';
comment on column foothold.seals.previous is 'The hash of the seal before.';
comment on column foothold.seals.hash is 'SHA-256 over everything else in the row. The next seal holds it.';
comment on column foothold.seals.body is 'Ranges of entries by case, and audit lines, with their hashes.';

create table foothold.seal_heads (
  shard smallint not null,
  seal_no integer not null,
  hash foothold.body_hash not null,
  constraint seal_heads_pkey primary key (shard)
);

comment on table foothold.seal_heads is
  'Where each chain ends. A seal is added by moving its head, so that of two sealers at once one does nothing.';

insert into foothold.seal_heads (shard, seal_no, hash)
select shard, 0, decode(repeat('00', 32), 'hex') from generate_series(0, 31) as shards (shard);

create table foothold.sealed_cases (
  shard smallint not null,
  case_id text collate "C" not null,
  revision foothold.revision not null,
  constraint sealed_cases_pkey primary key (shard, case_id)
) with (fillfactor = 70);

comment on table foothold.sealed_cases is
  'Up to which revision the journal of a case is sealed: where the next seal goes on. Verifying reads the seals alone.';
