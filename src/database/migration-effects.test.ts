import { describe, expect, it } from 'vitest';
import { effectsOf } from './migration-effects.js';

describe('the effects of a migration', () => {
  it.each([
    ['alter table payments add column note text', 'payments', 'moment'],
    ["alter table payments add column note text not null default 'x'", 'payments', 'moment'],
    ['alter table only payments\n  add column a text,\n  drop column b', 'payments', 'moment'],
    ['alter table payments drop constraint payments_amount', 'payments', 'moment'],
    ['alter table payments add constraint c check (amount > 0) not valid', 'payments', 'moment'],
    ['alter table payments add constraint c unique using index i', 'payments', 'moment'],
    ['alter table payments add constraint c check (amount > 0)', 'payments', 'whole'],
    ['alter table payments drop constraint c, add constraint c check (amount > 0)', 'payments', 'whole'],
    ['alter table payments add column p text references merchants', 'payments', 'whole'],
    ['alter table payments alter column note set not null', 'payments', 'whole'],
    ['alter table payments alter note type integer', 'payments', 'whole'],
    ['alter table payments validate constraint c', 'payments', 'beside'],
    ['create index i on payments (note)', 'payments', 'index'],
    ['create unique index concurrently if not exists i on payments (note)', 'payments', 'beside'],
    ['update payments set note = null', 'payments', 'rows'],
    ['insert into payments select 1', 'payments', 'rows'],
    ['delete from payments', 'payments', 'rows'],
    ['create table others (a text)', undefined, 'nothing'],
    ['create function f() returns integer language sql as $$select 1$$', undefined, 'nothing'],
  ] as const)('%s', (statement, table, effect) => {
    expect(effectsOf([statement])).toEqual([{ table, effect }]);
  });

  it('are none on a table that the same migration creates', () => {
    expect(effectsOf(['create table others (a text)', 'create index i on others (a)'])).toEqual([
      { table: undefined, effect: 'nothing' },
      { table: undefined, effect: 'nothing' },
    ]);
  });
});
