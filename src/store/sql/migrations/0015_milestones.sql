-- Entries that tell of all cases what people want to know: by their time, which no index of the journal knows.
-- Readable from: 1
-- Caller: migrate. Lock order: journal. The index holds the few kinds that it names, one or two entries of a case.

create index journal_milestones on foothold.journal (at desc, case_id desc, revision desc)
  where kind in ('reviewOpened', 'caseDone', 'canceled', 'claimLost');
