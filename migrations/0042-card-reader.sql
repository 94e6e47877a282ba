-- Whether a card reader hands its tokens to the register (decision 0191). Null: the default of the program (src/access/devices/settings.ts).
alter table devices add column card_reader boolean;
