-- Concurrently: replaced by 0060. The version before uses the new ones too, except when it searches sales or compares records of a
-- processor: then it reads more until it is replaced.

drop index concurrently if exists payments_created;
drop index concurrently if exists payments_location;
drop index concurrently if exists payments_total;
drop index concurrently if exists payments_last_4;
drop index concurrently if exists payments_card_brand;
drop index concurrently if exists payments_updated;
drop index concurrently if exists payments_uncaptured;
drop index concurrently if exists payments_reference;
drop index concurrently if exists payments_order;
