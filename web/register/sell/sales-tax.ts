/** The tax on amounts that are not in the catalogue, as the location has it. */
import type { CartTax } from '../core/cart.js';
import type { Device } from '../core/device.js';
import { toRate } from '../parts/percent.js';

export function salesTaxesOf({ location }: Device): readonly CartTax[] {
  const { sales_tax: tax } = location;
  return tax ? [{ name: tax.name, rate: toRate(tax.percentage), inclusion: tax.inclusion_type }] : [];
}
