-- When a business key is free again, and whose turn comes first among the cases that are due.
-- Readable from: 1
-- An engine that does not know the columns starts cases as before, and claims what is due without regard to priority.
-- Caller: migrate. Lock order: cases. The defaults are constants, so no row is rewritten; the indexes are built anew.

alter table foothold.cases
  add column key_freed_by text collate "C" not null default 'nothing',
  add column priority smallint not null default 0,
  add constraint cases_key_freed_by check (key_freed_by in ('nothing', 'canceled', 'end')) not valid,
  add constraint cases_priority check (priority between -1 and 1) not valid;

comment on column foothold.cases.key_freed_by is
  'When another case may have the business key: never, once this one is canceled, or once it is done or canceled.';
comment on column foothold.cases.priority is '1 high, 0 normal, -1 low.';
comment on column foothold.cases.business_key is 'At most one case per tenant and type holds it.';

drop index foothold.cases_business_key;

-- Whoever looks for a business key looks for all that had it. It comes second so that one can be looked up in every shard
-- without knowing its type.
create index cases_business_key on foothold.cases (shard, business_key, case_type, tenant)
  where business_key is not null;

-- The shard is computed from the other three, so this holds over all shards.
create unique index cases_key_held on foothold.cases (shard, business_key, case_type, tenant)
  where business_key is not null
    and (key_freed_by = 'nothing' or state <> 'canceled')
    and (key_freed_by <> 'end' or state <> 'done');

drop index foothold.cases_due;

-- What is due, of each priority, longest first.
create index cases_due on foothold.cases (priority, due_at)
  where state in ('ready', 'waiting', 'paused') and due_at is not null;
