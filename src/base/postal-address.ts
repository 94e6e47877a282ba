/** Postal addresses: their fields, and the lines in which they are written on parcels. */

/** An address as v1, v2 and the database have it: a document that is stored and returned unchanged (decision 0205). */
export interface PostalAddress {
  readonly address_line_1?: string;
  readonly address_line_2?: string;
  readonly address_line_3?: string;
  readonly locality?: string;
  readonly sublocality?: string;
  readonly sublocality_2?: string;
  readonly sublocality_3?: string;
  /** The state, province or canton. */
  readonly administrative_district_level_1?: string;
  readonly administrative_district_level_2?: string;
  readonly administrative_district_level_3?: string;
  readonly postal_code?: string;
  readonly country?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly organization?: string;
}

/** Countries that write the postal code behind the town. Most others write it before. */
const TOWN_FIRST = new Set(['AU', 'BR', 'CA', 'GB', 'IE', 'IN', 'JP', 'KR', 'NZ', 'PR', 'SG', 'US', 'ZA']);

/** The lines that are filled in, without names and country. */
export function printAddress(address: PostalAddress): string[] {
  const { address_line_1, address_line_2, address_line_3 } = address;
  return [address_line_1, address_line_2, address_line_3, townLine(address)].filter(
    (line) => line !== undefined && line !== '',
  ) as string[];
}

export function printAddressWithCountry(address: PostalAddress): string[] {
  return [...printAddress(address), ...(address.country ? [address.country] : [])];
}

/** `San Francisco, CA 94110`, or `5013 Bergen`. */
function townLine({ locality, administrative_district_level_1: state, postal_code, country }: PostalAddress): string {
  const isTownFirst = country ? TOWN_FIRST.has(country) : Boolean(state);
  if (isTownFirst) return joined(' ', joined(', ', locality, state), postal_code);
  return joined(', ', joined(' ', postal_code, locality), state);
}

function joined(separator: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(separator);
}
