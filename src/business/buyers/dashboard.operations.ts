/** The owner shows, exports and erases the personal data of a buyer (decisions 0176 and 0193). */
import { operation } from '../../api/operation.js';
import { about, type Static, Type } from '../../api/wire.js';
import { instant } from '../../base/time.js';
import { actorOf } from '../../identity/audit.js';
import { eraseBuyer, exportBuyer } from './actions.js';
import { BuyerData, ErasedBuyer } from './dashboard.view.js';

/** The email address is sent in the body, never in the URL, because proxies log URLs. */
const Buyer = Type.Object({
  email: about(
    'The email address, or other text that an application sent as one. Upper and lower case are equal.',
    Type.String({ minLength: 1, maxLength: 255 }),
  ),
});

const BEGINNING = instant(0);

export const dashboardBuyerOperations = [
  operation({
    surface: 'dashboard',
    name: 'exportBuyer',
    method: 'POST',
    path: '/api/dashboard/buyers/export',
    permission: 'OWNER',
    isPrivate: true,
    summary: 'Shows all that is stored about a buyer: orders, payments and refunds.',
    body: Buyer,
    example: { body: { email: 'noor@example.com' } },
    response: BuyerData,
    async handle(context, { body: { email } }) {
      const records = await exportBuyer(context.database, actorOf(context), context.merchant.id, email.trim());
      return records as unknown as Static<typeof BuyerData>; // as the views of payments and refunds print them
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'eraseBuyer',
    method: 'POST',
    path: '/api/dashboard/buyers/erase',
    permission: 'OWNER',
    recentSignIn: true,
    isPrivate: true,
    summary: 'Erases the personal data of a buyer. Amounts, times, states and ids stay. It cannot be undone.',
    body: Buyer,
    example: { body: { email: 'noor@example.com' } },
    response: ErasedBuyer,
    async handle(context, { body: { email } }) {
      const { database, merchant, requestLog } = context;
      const erased = await eraseBuyer(database, actorOf(context), merchant.id, email.trim());
      // It is not known which logged requests contain the data, so all logged requests of the merchant are deleted.
      if (erased.orders + erased.payments > 0) await requestLog?.dropOfMerchant(merchant.id, BEGINNING);
      return erased;
    },
  }),
];
