-- Marks running bulk acts without open items as done.
-- Caller: BulkStore.finish. Lock order: bulk_acts. Index: bulk_acts_open, bulk_items_open.
update foothold.bulk_acts as a
set state = 'done', changed_at = now()
where a.state = 'running'
  and not exists (
    select from foothold.bulk_items as i where i.bulk_id = a.bulk_id and i.state in ('open', 'claimed')
  )
returning a.bulk_id;
