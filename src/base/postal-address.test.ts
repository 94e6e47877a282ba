import { expect, it } from 'vitest';
import { printAddress, printAddressWithCountry } from './postal-address.js';

it.each([
  [
    { locality: 'San Francisco', administrative_district_level_1: 'CA', postal_code: '94110', country: 'US' },
    'San Francisco, CA 94110',
  ],
  [{ locality: 'San Francisco', postal_code: '94110', country: 'US' }, 'San Francisco 94110'],
  [
    { locality: 'San Francisco', administrative_district_level_1: 'CA', postal_code: '94110' },
    'San Francisco, CA 94110',
  ],
  [{ locality: 'Bergen', postal_code: '5013', country: 'NO' }, '5013 Bergen'],
  [{ locality: 'Bergen', postal_code: '5013' }, '5013 Bergen'],
  [
    { locality: 'Lugano', administrative_district_level_1: 'TI', postal_code: '6900', country: 'CH' },
    '6900 Lugano, TI',
  ],
  [{ locality: 'London', postal_code: 'E1 6AN', country: 'GB' }, 'London E1 6AN'],
])('writes the town of %j as its country does', (address, line) => {
  expect(printAddress(address)).toEqual([line]);
});

it('leaves out what is missing or empty', () => {
  expect(printAddress({})).toEqual([]);
  expect(printAddressWithCountry({ address_line_1: '1 Main St', address_line_2: '', country: 'US' })).toEqual([
    '1 Main St',
    'US',
  ]);
});
