/** The register operations on sales: ring up, edit, take tenders, cancel and list. */

import { WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { LARGEST_BODY_BYTES } from '../../api/body-limits.js';
import { lastYearByDefault } from '../../api/defaults.js';
import { fromWireAmount } from '../../api/money.js';
import { type AttendantContext, listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { SAMPLE_IDS, SAMPLE_PASSCODE, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, optional, type Static, Time, Type } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { listV1Payments } from '../paid-sales/v1.list.js';
import { toV1Site, V1Payment } from '../paid-sales/v1.view.js';
import {
  cancelSale,
  findSaleAtDevice,
  findSaleOfRegister,
  type RegisterSaleWithTenders,
  type SaleContext,
  showOpenSales,
  showSale,
} from './actions.js';
import { addTender } from './add-tender.js';
import { ApprovalBody, SaleApprovalGiven, toApprovalGiven } from './approval.view.js';
import { editSale } from './edit-sale.js';
import { giveApproval } from './give-approval.js';
import {
  fromSaleBody,
  fromSaleEditBody,
  fromTenderBody,
  RegisterSale,
  SaleBody,
  SaleEditBody,
  type SaleSite,
  TenderBody,
  toRegisterSale,
} from './register.view.js';
import { ringUpSale } from './ring-up.js';

const SaleResponse = Type.Object({ sale: about('The sale as it is now.', RegisterSale) });

function at(context: AttendantContext, occurredAt: string | undefined): SaleContext {
  return { ...context, occurredAt };
}

function siteOf({ merchant, givenUrl: publicUrl }: Pick<AttendantContext, 'merchant' | 'givenUrl'>): SaleSite {
  return { currency: merchant.currency, merchantId: merchant.id, publicUrl };
}

function toResponse(context: AttendantContext, sale: RegisterSaleWithTenders): Static<typeof SaleResponse> {
  return { sale: toRegisterSale(sale, siteOf(context)) };
}

async function ringUp(context: AttendantContext, body: Static<typeof SaleBody>): Promise<RegisterSaleWithTenders> {
  const { merchant, attendant } = context;
  return ringUpSale(at(context, body.occurred_at), fromSaleBody(body, { currency: merchant.currency, attendant }));
}

/** A register that was refused learns what became of the sale, so that it can tell its cashier. `find` looks for the sale as it is now. */
async function withSaleInRefusal<Result>(
  context: AttendantContext,
  find: () => Promise<RegisterSaleWithTenders | undefined>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.meaning.status >= 500) throw error;
    const sale = await find();
    throw sale ? error.with(toResponse(context, sale)) : error;
  }
}

function withOpenSale<Result>(context: AttendantContext, id: string, work: () => Promise<Result>): Promise<Result> {
  return withSaleInRefusal(context, () => findSaleAtDevice(context, id), work);
}

export const registerSaleOperations = [
  operation({
    surface: 'register',
    name: 'ringUpSale',
    method: 'POST',
    path: '/api/register/sales',
    permission: 'EMPLOYEE',
    maxBodyBytes: LARGEST_BODY_BYTES,
    summary: 'Rings up a sale and takes its tenders. The sale stays open until it is paid in full.',
    body: SaleBody,
    example: {
      body: {
        id: 'till-7-0020',
        itemizations: [
          {
            name: 'Latte',
            quantity: '2',
            single_quantity_money: { amount: 500 },
            modifiers: [{ name: 'Oat milk', price_money: { amount: 50 } }],
          },
        ],
        discounts: [{ name: 'Happy hour', amount_money: { amount: 100 } }],
        taxes: [{ name: 'Sales tax', rate: '0.09' }],
        total_money: { amount: 1090 },
        tenders: [
          { id: 'card', type: 'CARD', source_id: 'cnon:card-nonce-ok', amount_money: { amount: 590 } },
          { id: 'cash', type: 'CASH', tendered_money: { amount: 1000 } },
        ],
      },
    },
    response: SaleResponse,
    async handle(context, { body }) {
      const find = () => findSaleOfRegister(context, body.id);
      return withSaleInRefusal(context, find, async () => toResponse(context, await ringUp(context, body)));
    },
  }),

  listOperation({
    surface: 'register',
    name: 'listSales',
    method: 'GET',
    path: '/api/register/sales',
    permission: 'REGISTER_ACCESS_SALES_HISTORY',
    summary: "Lists the sales of the device's location in the format of v1, newest first, including open sales.",
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['sales'] },
    query: Type.Object({
      begin_time: about('Only sales that were rung up at this time or later.', optional(Time)),
      end_time: about('Only sales that were rung up before this time.', optional(Time)),
    }),
    item: V1Payment,
    resolve: ({ now }, query) => lastYearByDefault(query, now),
    async handle({ database, merchant, device, givenUrl }, { query, page }) {
      const filter = {
        merchantId: merchant.id,
        locationId: device.locationId,
        includePartial: true,
        created: parseRange(query, 'begin_time', 'end_time'),
        order: 'DESC',
        page,
      } as const;
      return await listV1Payments(database, filter, toV1Site(siteOf({ merchant, givenUrl })));
    },
  }),

  operation({
    surface: 'register',
    name: 'showSale',
    method: 'GET',
    path: '/api/register/sales/{sale_id}',
    permission: 'REGISTER_ACCESS_SALES_HISTORY',
    summary: "Returns one sale of the device's location.",
    response: SaleResponse,
    async handle(context, { params: { sale_id } }) {
      return toResponse(context, await showSale(context, sale_id));
    },
  }),

  operation({
    surface: 'register',
    name: 'listOpenSales',
    method: 'GET',
    path: '/api/register/open-sales',
    permission: 'EMPLOYEE',
    summary: "Lists the open sales of the device's location with what they sell, newest first, at most 200.",
    response: Type.Object({ sales: about('The open sales of the location.', Type.Array(RegisterSale)) }),
    async handle(context) {
      const site = siteOf(context);
      return { sales: (await showOpenSales(context)).map((sale) => toRegisterSale(sale, site)) };
    },
  }),

  operation({
    surface: 'register',
    name: 'editSale',
    method: 'PUT',
    path: '/api/register/sales/{sale_id}',
    permission: 'EMPLOYEE',
    maxBodyBytes: LARGEST_BODY_BYTES,
    summary:
      'Replaces what an open sale sells. Refused if it has changed since the given version, or if more is paid already.',
    body: SaleEditBody,
    example: {
      body: {
        id: 'till-7-0021',
        version: SAMPLE_VALUES.version,
        label: 'Table 5',
        itemizations: [{ name: 'Latte', quantity: '3', single_quantity_money: { amount: 500 } }],
      },
    },
    response: SaleResponse,
    async handle(context, { params: { sale_id }, body }) {
      const { merchant, attendant } = context;
      const edit = fromSaleEditBody(body, { currency: merchant.currency, attendant });
      await withOpenSale(context, sale_id, () =>
        writeOnce(context, { operation: `editSale:${sale_id}`, body }, async (change) => {
          await editSale(change, at(context, body.occurred_at), sale_id, edit);
          return {};
        }),
      );
      return toResponse(context, await showSale(context, sale_id));
    },
  }),

  operation({
    surface: 'register',
    name: 'giveApproval',
    method: 'POST',
    path: '/api/register/approvals',
    permission: 'DEVICE',
    summary:
      'Lets somebody with REGISTER_APPLY_RESTRICTED_DISCOUNTS allow what a sale takes off, with a passcode typed for it. It counts for this sale, up to this amount, once, within an hour.',
    body: ApprovalBody,
    example: {
      body: {
        employee_id: SAMPLE_IDS.employee_id,
        passcode: SAMPLE_PASSCODE,
        operation: 'ringUpSale',
        sale_id: 'till-7-0023',
        amount_money: { amount: 500 },
      },
    },
    response: Type.Object({ approval: about('What was allowed.', SaleApprovalGiven) }),
    async handle(context, { body }) {
      const { currency } = context.merchant;
      const amount = fromWireAmount(body.amount_money, { currency, field: 'amount_money', least: 1 });
      const approval = await giveApproval(context, {
        ...{ employeeId: body.employee_id, passcode: body.passcode, signingKey: body.signing_key },
        ...{ operation: body.operation, saleId: body.sale_id, amount },
      });
      return { approval: toApprovalGiven(approval, context) };
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
    example: { body: { id: 'card', type: 'CARD', source_id: 'cnon:card-nonce-ok', tip_money: { amount: 150 } } },
    response: SaleResponse,
    async handle(context, { params: { sale_id }, body }) {
      const tender = fromTenderBody(body, context.merchant.currency);
      return withOpenSale(context, sale_id, async () =>
        toResponse(context, await addTender(at(context, body.occurred_at), sale_id, tender)),
      );
    },
  }),

  operation({
    surface: 'register',
    name: 'cancelSale',
    method: 'POST',
    path: '/api/register/sales/{sale_id}/cancel',
    permission: 'EMPLOYEE',
    summary: 'Cancels an open sale and returns its tenders.',
    body: Type.Object(WRITE_FIELDS),
    example: { body: { id: 'till-7-0022' } },
    response: SaleResponse,
    async handle(context, { params: { sale_id }, body }) {
      await withOpenSale(context, sale_id, () =>
        writeOnce(context, { operation: `cancelSale:${sale_id}`, body }, async (change, flag) => {
          const canceled = { saleId: sale_id, writeId: body.id };
          await cancelSale(change, { ...at(context, body.occurred_at), flag }, canceled);
          return {};
        }),
      );
      return toResponse(context, await showSale(context, sale_id));
    },
  }),
];
