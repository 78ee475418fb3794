-- Keeps a list under a name, in place of one of that name, unless the person keeps as many as they may.
-- Caller: saveView. Locks: its own row. Index: saved_views_pkey.
-- $1 person, $2 name, $3 query, $4 lists at most
insert into foothold.saved_views (person_id, name, query, changed_at)
select $1::text, $2::text, $3::text, now()
where exists (select from foothold.saved_views as v where v.person_id = $1::text and v.name = $2::text)
  or (select count(*) from foothold.saved_views as v where v.person_id = $1::text) < $4::integer
on conflict (person_id, name) do update set query = excluded.query, changed_at = excluded.changed_at
returning name;
