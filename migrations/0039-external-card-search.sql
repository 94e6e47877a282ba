-- Sales by the last four digits of a card that a terminal beside the register has charged. payments_last_4 has those of the processor; this
-- index costs other tenders nothing.
create index payments_last_4_external on payments (merchant_id, last_4, payment_id)
  where source_type <> 'CARD' and last_4 is not null;
