-- Asks for hints about due cases.
-- Caller: listen, on a connection of its own.
listen foothold_due;
