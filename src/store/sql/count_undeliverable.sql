-- How many messages wait for a person because they could not be delivered.
-- Caller: NoticeStore.countUndeliverable. No locks. Index: messages_undeliverable.
select count(*)::integer as messages
from foothold.messages
where state = 'undeliverable';
