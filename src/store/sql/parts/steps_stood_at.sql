-- The steps that the case c stands at, some of them more than once: stepsStoodAt of core, in SQL. A test keeps the two equal.
-- In: meets_criteria, count_steps.
(
  -- A step of one key stands for the step that has the keys.
  select regexp_replace(named.step, '^([^][]+)\[[^][]*\]', '\1')
  from (
    select jsonb_array_elements_text(c.summary -> 'unsettled')
    union all select jsonb_array_elements(c.summary -> 'reviews') ->> 'step'
    union all select jsonb_array_elements(c.summary -> 'waits') ->> 'step'
  ) as named (step)
) as standing (step)
