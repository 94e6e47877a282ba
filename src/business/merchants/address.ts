/** Schema of a postal address. v1, v2 and the database use the same format. */
import { model, optional, type Static, text } from '../../api/wire.js';

const line = optional(text(500));

export const Address = model('Address', {
  address_line_1: line,
  address_line_2: line,
  address_line_3: line,
  locality: line,
  sublocality: line,
  sublocality_2: line,
  sublocality_3: line,
  administrative_district_level_1: line,
  administrative_district_level_2: line,
  administrative_district_level_3: line,
  postal_code: line,
  country: line,
  first_name: line,
  last_name: line,
  organization: line,
});

export type Address = Static<typeof Address>;
