-- What each case type has due for each tenant, so that what one has piled up holds no other up.
-- Readable from: 1
-- An engine that does not know the index claims by priority and time alone.
-- Caller: migrate. Lock order: cases.

create index cases_due_in_group on foothold.cases (case_type, tenant, priority, due_at)
  where state in ('ready', 'waiting', 'paused') and due_at is not null;
