/** Checks that the figures of a table add up and have their signs, as its definition says. */
import { expect } from 'vitest';
import { type Figures, figuresOf } from '../../src/business/figures/model.js';

/** What does not add up, in words. `valueOf` returns undefined for a figure that does not exist yet. */
export function mistakesIn(table: Figures, read: (name: string) => number | undefined): string[] {
  return figuresOf(table).flatMap(({ name, label, sign, sumOf }) => {
    const value = read(name);
    if (value === undefined) return [];
    const wrongSign = sign && value !== 0 && value > 0 !== (sign === 'ADDS');
    const sum = sumOf?.reduce((total, part) => total + (read(part) ?? Number.NaN), 0);
    return [
      ...(wrongSign ? [`${label} is ${value}`] : []),
      ...(sum !== undefined && sum !== value ? [`${label} is ${value}, but its parts are ${sum}`] : []),
    ];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Checks fields of an answer: amounts of money, or whole numbers. Returns the values. */
export function expectAddsUp(table: Figures, fields: Fields): void {
  const read = (name: string): number | undefined => {
    const field = fields[name] as number | { readonly amount: number } | undefined;
    return typeof field === 'object' ? field.amount : field;
  };
  expect(mistakesIn(table, read)).toEqual([]);
}

export const total = (parts: readonly { readonly amount_money: { readonly amount: number } }[]): number =>
  parts.reduce((sum, { amount_money: { amount } }) => sum + amount, 0);
