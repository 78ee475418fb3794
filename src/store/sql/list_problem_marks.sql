-- What is said of groups of problems.
-- Caller: BulkStore.listMarks. Index: problem_marks_pkey. Locks nothing.
-- $1 ids
select problem_id, note, owner, made_by, floor(extract(epoch from at) * 1000)::bigint as at
from foothold.problem_marks
where problem_id = any($1::text[]);
