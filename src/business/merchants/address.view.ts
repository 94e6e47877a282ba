/** The schema of a postal address, which is the same on all surfaces (decision 0205). */
import { about, model, optional, text } from '../../api/wire.js';
import type { PostalAddress } from '../../base/postal-address.js';

const line = optional(text(500));

/** Has a field for each of `PostalAddress`, and no other. */
const FIELDS = {
  address_line_1: about('The first line, usually street and number.', line),
  address_line_2: about('The second line, for example a floor.', line),
  address_line_3: about('The third line.', line),
  locality: about('The city or town.', line),
  sublocality: about('A part of the city.', line),
  sublocality_2: about('A part of the sublocality.', line),
  sublocality_3: about('A part of the second sublocality.', line),
  administrative_district_level_1: about('The state, province or canton.', line),
  administrative_district_level_2: about('The county or district.', line),
  administrative_district_level_3: about('A part of the county or district.', line),
  postal_code: about('The postal code.', line),
  country: about('The country, in two letters (ISO 3166).', line),
  first_name: about('The first name of the recipient.', line),
  last_name: about('The last name of the recipient.', line),
  organization: about('The organization of the recipient.', line),
} satisfies Record<keyof PostalAddress, unknown>;

export const Address = model('Address', FIELDS);
