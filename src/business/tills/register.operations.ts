/** What a register does with sales: rings them up, takes tenders, cancels, and sends what it took while it was offline. */
import { WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { lastYearByDefault } from '../../api/defaults.js';
import { type AttendantContext, listOperation, operation } from '../../api/operation.js';
import { readRange } from '../../api/ranges.js';
import { toError } from '../../api/render-error.js';
import { choice, optional, type Static, Time, Type } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { listPaidSales } from '../paid-sales/queries.js';
import { printV1Payment } from '../paid-sales/v1.print.js';
import { V1Payment } from '../paid-sales/v1.view.js';
import { addTender, cancelSale, type SaleContext, showSale, type TakenSale } from './actions.js';
import { RegisterSale, readSale, readTender, SaleBody, TenderBody, toRegisterSale } from './register.view.js';
import { ringUpSale } from './ring-up.js';

const Answer = Type.Object({ sale: RegisterSale });

const MOST_OFFLINE_SALES = 100;

const OfflineResult = Type.Object({
  id: Type.String(),
  status: choice(['ACCEPTED', 'REFUSED']),
  sale: optional(RegisterSale),
  error: optional(
    Type.Object({
      category: Type.String(),
      code: Type.String(),
      detail: Type.String(),
      field: optional(Type.String()),
    }),
  ),
});

function at(context: AttendantContext, occurredAt: string | undefined): SaleContext {
  return { ...context, occurredAt };
}

function answer({ merchant }: AttendantContext, taken: TakenSale): Static<typeof Answer> {
  return { sale: toRegisterSale(taken, merchant.currency) };
}

async function ringUp(context: AttendantContext, body: Static<typeof SaleBody>): Promise<TakenSale> {
  const { merchant, attendant } = context;
  return ringUpSale(at(context, body.occurred_at), readSale(body, { currency: merchant.currency, attendant }));
}

/** One sale of a batch: what is wrong with it is told in its place, and the others are kept. */
async function ringUpLate(
  context: AttendantContext,
  body: Static<typeof SaleBody>,
): Promise<Static<typeof OfflineResult>> {
  try {
    return { id: body.id, status: 'ACCEPTED', ...answer(context, await ringUp(context, body)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { id: body.id, status: 'REFUSED', error: toError(error) };
  }
}

export const registerSaleOperations = [
  operation({
    surface: 'register',
    name: 'ringUpSale',
    method: 'POST',
    path: '/api/register/sales',
    permission: 'EMPLOYEE',
    summary: 'Rings up a sale and takes its tenders; it stays open until they pay it.',
    body: SaleBody,
    response: Answer,
    async handle(context, { body }) {
      return answer(context, await ringUp(context, body));
    },
  }),

  operation({
    surface: 'register',
    name: 'sendOfflineSales',
    method: 'POST',
    path: '/api/register/offline-sales',
    permission: 'EMPLOYEE',
    summary: 'Sends sales that were taken up to 72 hours ago; each is kept or refused by itself.',
    body: Type.Object({ sales: Type.Array(SaleBody, { minItems: 1, maxItems: MOST_OFFLINE_SALES }) }),
    response: Type.Object({ results: Type.Array(OfflineResult) }),
    async handle(context, { body: { sales } }) {
      const results: Static<typeof OfflineResult>[] = [];
      // One after another, as they were taken.
      for (const sale of sales) results.push(await ringUpLate(context, sale));
      return { results };
    },
  }),

  listOperation({
    surface: 'register',
    name: 'listSales',
    method: 'GET',
    path: '/api/register/sales',
    permission: 'REGISTER_ACCESS_SALES_HISTORY',
    summary: "Lists the sales of the device's location as v1 shows them, newest first; open ones too.",
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['sales'] },
    query: Type.Object({ begin_time: optional(Time), end_time: optional(Time) }),
    item: V1Payment,
    resolve: ({ now }, query) => lastYearByDefault(query, now),
    async handle({ database, merchant, device }, { query, page }) {
      const { items, next } = await listPaidSales(database.sql, {
        merchantId: merchant.id,
        locationId: device.locationId,
        includePartial: true,
        created: readRange(query, 'begin_time', 'end_time'),
        order: 'DESC',
        page,
      });
      return { items: items.map((sale) => printV1Payment(sale, merchant.currency)), next };
    },
  }),

  operation({
    surface: 'register',
    name: 'showSale',
    method: 'GET',
    path: '/api/register/sales/{sale_id}',
    permission: 'REGISTER_ACCESS_SALES_HISTORY',
    summary: "Shows a sale of the device's location.",
    response: Answer,
    async handle(context, { params: { sale_id } }) {
      return answer(context, await showSale(context, sale_id));
    },
  }),

  operation({
    surface: 'register',
    name: 'takeTender',
    method: 'POST',
    path: '/api/register/sales/{sale_id}/tenders',
    permission: 'EMPLOYEE',
    summary: 'Takes one more tender for an open sale.',
    body: TenderBody,
    response: Answer,
    async handle(context, { params: { sale_id }, body }) {
      const tender = readTender(body, context.merchant.currency);
      return answer(context, await addTender(at(context, body.occurred_at), sale_id, tender));
    },
  }),

  operation({
    surface: 'register',
    name: 'cancelSale',
    method: 'POST',
    path: '/api/register/sales/{sale_id}/cancel',
    permission: 'EMPLOYEE',
    summary: 'Gives up an open sale; what was paid of it goes back.',
    body: Type.Object(WRITE_FIELDS),
    response: Answer,
    async handle(context, { params: { sale_id }, body }) {
      await writeOnce(context, { operation: `cancelSale:${sale_id}`, body }, async (tx) => {
        await cancelSale(tx, at(context, body.occurred_at), sale_id);
        return {};
      });
      return answer(context, await showSale(context, sale_id));
    },
  }),
];
