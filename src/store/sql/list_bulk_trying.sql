-- Bulk acts that are trying, whose first case was acted on.
-- Caller: BulkStore.listTrying. Index: bulk_acts_open, bulk_items_pkey. Locks nothing.
select a.bulk_id
from foothold.bulk_acts as a
join foothold.bulk_items as i on i.bulk_id = a.bulk_id and i.place = 0
where a.state = 'trying' and i.state in ('done', 'refused')
order by a.created_at
limit 100;
