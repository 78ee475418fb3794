-- Removes a list that a person keeps.
-- Caller: removeView. Locks: its own row. Index: saved_views_pkey.
-- $1 person, $2 name
delete from foothold.saved_views
where person_id = $1::text and name = $2::text
returning name;
