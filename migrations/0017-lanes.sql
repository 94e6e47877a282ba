-- Who asks the processor holds no lock meanwhile: what is asked about is taken for a while, and nobody else asks at the same time.

-- In real time. Nobody came back with the answer by then: whoever finds it asks again, with the same key.
alter table due_work add column taken_until timestamptz;
alter table processor_calls add column taken_until timestamptz;
