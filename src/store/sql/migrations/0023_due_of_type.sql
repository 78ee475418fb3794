-- What is due of each case type, so that a worker looks past nothing that other workers have, be it due or waiting.
-- Readable from: 1
-- An engine that does not know the index reads the other one, past what is due of other priorities and types.
-- Caller: migrate. Lock order: cases.

-- Its first column is not that of cases_due_in_group: what reads one of them could not use the other.
create index cases_due_of_type on foothold.cases (priority, case_type, due_at)
  where state in ('ready', 'waiting', 'paused') and due_at is not null;

drop index foothold.cases_due;

-- Of all types, for those who count what waits and hasten what is held back.
create index cases_due on foothold.cases (due_at)
  where state in ('ready', 'waiting', 'paused') and due_at is not null;
