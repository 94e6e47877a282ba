import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRoutingNumber, suffixOf } from './model.js';

const digits = (least: number, most: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`)).filter((text) => text.length <= most);

describe('isRoutingNumber', () => {
  it.each(['021000021', '011401533', '091000019', '322271627'])('accepts %s', (number) => {
    expect(isRoutingNumber(number)).toBe(true);
  });

  it.each(['', '02100002', '0210000210', '02100002x', ' 21000021', '000000000', '０２１０００００２１'])(
    'rejects %j',
    (number) => {
      expect(isRoutingNumber(number)).toBe(false);
    },
  );

  it('detects any single wrong digit', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.integer({ min: 1, max: 9 }), (place, by) => {
        const wrong = [...'021000021'];
        wrong[place] = String((Number(wrong[place]) + by) % 10);
        expect(isRoutingNumber(wrong.join(''))).toBe(false);
      }),
    );
  });
});

describe('suffixOf', () => {
  it('is the end of the number, at most four digits and at most half of it', () => {
    fc.assert(
      fc.property(digits(4, 17), (number) => {
        const suffix = suffixOf(number);
        expect(number.endsWith(suffix)).toBe(true);
        expect(suffix.length).toBe(Math.min(4, Math.floor(number.length / 2)));
      }),
    );
  });
});
