import { describe, expect, it } from 'vitest';
import { MIGRATIONS, readMigration } from '../support/migrations.js';
import { findBreaks } from './expand.js';

/** The first migration with a version before it, which could serve beside this one. */
const FIRST = '0040';

describe('a migration', () => {
  it.each(MIGRATIONS.filter((name) => name >= FIRST))('lets the version before serve beside it: %s', (name) => {
    expect(findBreaks(readMigration(name))).toEqual([]);
  });

  it.each([
    'drop table orders;',
    'alter table orders drop column note;',
    'alter table orders rename column note to remark;',
    'alter table orders alter column note type integer;',
    'alter table orders add column a text default $$x$$, alter column note set not null;',
    'alter table orders add column note text not null;',
    'alter table orders add constraint short check (length(note) < 10);',
    'alter table orders add check (length(note) < 10);',
    'alter table orders drop note;',
    'alter table orders add note text not null;',
    'drop index orders_note;',
    '-- Concurrently: nobody needs it.\ndrop index concurrently if exists orders_note;',
    '-- Concurrently: replaced by 0040.\ndrop table orders;',
    'create unique index orders_note on orders (merchant_id, note);',
    'alter table orders add column a text; alter table payments add constraint short check (length(note) < 10);',
  ])('is refused if it breaks the version before: %s', (text) => {
    expect(findBreaks(text)).toHaveLength(1);
  });

  it.each([
    'create table notes (merchant_id text not null, note text not null check (length(note) < 10));',
    "alter table orders add column note text not null default '';",
    'alter table orders add column note text; create index orders_note on orders (merchant_id, note);',
    "alter table orders drop constraint orders_state; alter table orders add constraint orders_state check (state in ('A', 'B'));",
    'alter table orders add column a text, add constraint a_short check (length(a) < 10); create unique index orders_a on orders (merchant_id, a);',
    'create table a (b text); create unique index a_b on a (b);',
    '-- Concurrently: replaced by 0040.\ndrop index concurrently if exists orders_note;',
    '-- Contract: 0040 moved the notes.\nalter table orders drop column note;',
  ])('may expand, and contract what an earlier one has replaced: %s', (text) => {
    expect(findBreaks(text)).toEqual([]);
  });
});
