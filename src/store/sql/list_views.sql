-- The lists that a person keeps, by name; at most 50.
-- Caller: listViews. No locks. Index: saved_views_pkey.
-- $1 person
select v.name, v.query
from foothold.saved_views as v
where v.person_id = $1::text
order by v.name
limit 50;
