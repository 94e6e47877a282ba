-- Z reports: what was added up when a drawer was closed. It is what was printed, so a row never changes.

create table cash_drawer_reports (
  merchant_id text not null,
  shift_id uuid not null,
  -- The sums in the format of the model, with a version (src/business/cash-drawers/report-model.ts).
  report json not null,
  -- The sales and refunds that are in the sums. Others of the same time arrived later.
  sale_ids text[] not null,
  refund_ids text[] not null,
  primary key (merchant_id, shift_id),
  foreign key (merchant_id, shift_id) references cash_drawer_shifts
);
