-- Ends the statement that another connection of ours runs. It takes no lock.
-- $1 the process of the server behind that connection; one that is gone is no fault.
-- Caller: the transaction of a step that is rolled back while a statement of it runs.
select pg_cancel_backend($1::integer) as canceled
