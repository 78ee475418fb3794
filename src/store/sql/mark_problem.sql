-- Replaces what is said of a group of problems.
-- Caller: BulkStore.mark. Lock order: one row. Index: problem_marks_pkey.
-- $1 id, $2 note, $3 owner, $4 who
insert into foothold.problem_marks (problem_id, note, owner, made_by, at)
values ($1::text, $2::text, $3::text, $4::text, now())
on conflict (problem_id) do update
set note = excluded.note, owner = excluded.owner, made_by = excluded.made_by, at = excluded.at;
