import { expect, it } from 'vitest';
import type { Database } from '../../database/database.js';
import { copyChoiceOf } from './copy-choice.js';

const copyOf = (saleId: string, length = 1000) => ({ saleId, stamp: '1', v1Json: 'x'.repeat(length) });

it('accepts a sale that is listed for the second time, and not one that has changed since', () => {
  const choice = copyChoiceOf({} as Database);
  const answers = [copyOf('A'), copyOf('B'), copyOf('A'), { ...copyOf('B'), stamp: '2' }].map((copy) =>
    choice.accepts(copy),
  );
  expect(answers).toEqual([false, false, true, false]);
});

it('accepts nothing more while the budget is used up', () => {
  const choice = copyChoiceOf({} as Database);
  const large = copyOf('A', 60 * 1024 * 1024); // more than the budget of ten seconds
  expect([choice.accepts(copyOf('B')), choice.accepts(large), choice.accepts(large)]).toEqual([false, false, true]);
  expect([choice.accepts(copyOf('B')), choice.accepts(copyOf('B'))]).toEqual([false, false]);
});
