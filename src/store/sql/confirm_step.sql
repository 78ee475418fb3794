-- Before the transaction of a step locks its case for the commit that confirms it: from here on a client that vanishes, or
-- stands still, keeps that lock for 2 s at most, as in any other change.
-- Caller: the commit of a step's transaction. Sent as one message, without parameters.
set local idle_in_transaction_session_timeout = '2s';
