-- Deletes the keys that a case is found by and the places that it had by its concurrency key, and erases the bulk acts that it was
-- in: what they were made with, and what became of it.
-- Caller: ErasureStore.erase, after the case is locked. Locks: the rows. The tables are read whole.
-- $1 case id, $2 what stands for a text
with keys as (
  delete from foothold.case_keys as k where k.case_id = $1::text
),
places as (
  delete from foothold.key_places as p where p.case_id = $1::text
),
items as (
  update foothold.bulk_items as i
  set sentence = $2::text
  where i.case_id = $1::text and i.sentence is not null
)
update foothold.bulk_acts as b
set request = '{}', filter = '{}', reason = case when b.reason is not null then $2::text end
where exists (select from foothold.bulk_items as i where i.bulk_id = b.bulk_id and i.case_id = $1::text);
