/** The register operation on the catalogue. */
import { operation } from '../../api/operation.js';
import { optional, Type, wholeNumber } from '../../api/wire.js';
import { findCatalogue, findCatalogueVersion } from './queries.js';
import { RegisterCatalogue, toRegisterCatalogue } from './view.js';

export const registerCatalogueOperations = [
  operation({
    surface: 'register',
    name: 'listCatalogue',
    method: 'GET',
    path: '/api/register/catalogue',
    permission: 'DEVICE',
    summary:
      "Lists what the device's location sells, with taxes and discounts; nothing if it still has `known_version`.",
    query: Type.Object({ known_version: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)) }),
    response: Type.Object({
      version: Type.Integer(),
      catalogue: optional(RegisterCatalogue),
    }),
    async handle({ database, merchant, device: { locationId } }, { query: { known_version } }) {
      if (known_version !== undefined) {
        const version = await findCatalogueVersion(database.sql, merchant.id);
        if (version === known_version) return { version };
      }
      const { version, ...catalogue } = await findCatalogue(database.sql, merchant.id);
      return { version, catalogue: toRegisterCatalogue(catalogue, merchant, locationId) };
    },
  }),
];
