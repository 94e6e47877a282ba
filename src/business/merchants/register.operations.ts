/** The register operation that shows a device with its business and location. */
import { showDeviceSettings } from '../../access/devices/settings.js';
import { operation } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import { CARDS_TO_TAP } from '../../processor/offered-cards.js';
import { findMerchantWithLocations } from './queries.js';
import { RegisterDevice, toRegisterDevice } from './register.view.js';

export const registerMerchantOperations = [
  operation({
    surface: 'register',
    name: 'showDevice',
    method: 'GET',
    path: '/api/register/device',
    permission: 'DEVICE',
    summary: 'Shows the device of the device token, with its settings, its business and its location.',
    response: RegisterDevice,
    async handle(context) {
      const { database, merchant, device, mode, offersTestCards, now } = context;
      const [found, settings] = await Promise.all([
        findMerchantWithLocations(database.sql, merchant.id),
        showDeviceSettings(context),
      ]);
      const location = found?.locations.find(({ id }) => id === device.locationId);
      if (!found || !location) throw notFound('location', device.locationId);
      return toRegisterDevice({
        ...{ device, settings, merchant: found.merchant, location, mode, now },
        cards: offersTestCards && merchant.processorId === null ? CARDS_TO_TAP : undefined,
      });
    },
  }),
];
