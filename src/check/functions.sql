-- What the laws compute from the stored JSON of a record.

-- The sum of the applied amounts of the lines of an item; with p_inclusion, only of taxes of that kind.
create function sum_of_lines(p_lines jsonb, p_inclusion text) returns bigint
language plpgsql immutable parallel safe as $$
begin
  return (
    select coalesce(sum((line ->> 'applied')::bigint), 0)
    from jsonb_array_elements(p_lines) as line
    where p_inclusion is null or line ->> 'inclusion' = p_inclusion
  );
end
$$;
