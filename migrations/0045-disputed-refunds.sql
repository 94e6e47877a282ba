-- A refund in spite of a dispute names the dispute that the owner overruled (decision 0225).

-- The hold. Null: the payment was not disputed when the refund was made.
alter table refunds add column overruled_dispute_id text;

-- Refunds that were made before there was this rule, while a hold was active: nobody was asked, and nothing was wrong.
update refunds as r
set overruled_dispute_id = h.hold_id
from holds as h
where h.merchant_id = r.merchant_id and h.payment_id = r.payment_id
  and r.created_at >= h.placed_at and (h.released_at is null or r.created_at < h.released_at);
