-- Moves that waited for a second person, in the history of their case.
-- Readable from: 1
-- An index alone; an engine that does not know it reads as before.
-- Caller: migrate. Lock order: second_requests.

create index second_requests_of on foothold.second_requests (shard, case_id, asked_at);
