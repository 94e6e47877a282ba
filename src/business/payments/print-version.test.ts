import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const FUNCTIONS = readFileSync(new URL('functions.sql', import.meta.url), 'utf8');

/** The text of a function, from its name to the end of its body. */
function textOf(name: string): string {
  const [, text = ''] = new RegExp(`create function (${name}\\([\\s\\S]*?\\n\\$\\$;)`).exec(FUNCTIONS) ?? [];
  return text;
}

describe('print_payment', () => {
  it('gets a new version with every change of its text', () => {
    const printed = createHash('sha256').update(textOf('print_payment')).digest('hex').slice(0, 12);
    const [, version] = /select (\d+)::smallint/.exec(textOf('payment_copy_version')) ?? [];
    expect(
      { printed, version: Number(version) },
      'print_payment has changed. Raise payment_copy_version() by one, then write the new hash and version here: ' +
        'stored copies are renewed only if the version is higher than theirs.',
    ).toEqual({ printed: '8fc355c17bdd', version: 1 });
  });
});
