/** The online orders of a register's location: lists them, shows one, completes and cancels it. */
import { WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { type AttendantContext, listOperation, operation } from '../../api/operation.js';
import { about, choice, optional, type Static, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { changeOrder } from './actions.js';
import { DashboardOrder, DashboardOrderDetail, toDashboardOrder, toDashboardOrderDetail } from './dashboard.view.js';
import { type Notes, ORDER_STATES } from './model.js';
import { findOwnerOrder, listOwnerOrders } from './queries.js';

const ORDER = '/api/register/orders/{order_id}';
const OrderResponse = Type.Object({ order: about('The order after the change.', DashboardOrderDetail) });
const note = about('A text for the shopper.', optional(text(1000)));

async function showOrder(
  { database, merchant, device }: AttendantContext,
  orderId: string,
): Promise<Static<typeof OrderResponse>> {
  const order = await findOwnerOrder(database.sql, merchant.id, orderId);
  if (order?.locationId !== device.locationId) throw notFound('order', orderId);
  return { order: toDashboardOrderDetail(order) };
}

interface OrderWrite {
  readonly name: string;
  readonly orderId: string;
  readonly action: 'COMPLETE' | 'CANCEL';
  readonly notes: Notes;
  readonly body: { readonly id: string };
}

/** Runs once, like every write of a register. */
async function writeOrder(
  context: AttendantContext,
  { name, orderId, action, notes, body }: OrderWrite,
): Promise<Static<typeof OrderResponse>> {
  const { locationId } = context.device;
  await writeOnce(context, { operation: `${name}:${orderId}`, body }, async (change) => {
    await changeOrder(change, context, { locationId, orderId, action, notes });
    return {};
  });
  return showOrder(context, orderId);
}

export const registerOrderOperations = [
  listOperation({
    surface: 'register',
    name: 'listOrders',
    method: 'GET',
    path: '/api/register/orders',
    permission: 'EMPLOYEE',
    summary: "Lists the online orders of the device's location, in all states or in one, newest first.",
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['orders'] },
    query: Type.Object({
      state: about('Only orders in this state. Default: all states.', optional(choice(ORDER_STATES))),
    }),
    item: DashboardOrder,
    async handle({ database, merchant, device: { locationId } }, { query: { state }, page }) {
      const filter = { merchantId: merchant.id, locationId, state, direction: 'DESC', page } as const;
      const { items, next } = await listOwnerOrders(database.sql, filter);
      return { items: items.map(toDashboardOrder), next };
    },
  }),

  operation({
    surface: 'register',
    name: 'showOrder',
    method: 'GET',
    path: ORDER,
    permission: 'EMPLOYEE',
    summary: "Shows an online order of the device's location with its items and its history.",
    response: OrderResponse,
    handle: (context, { params: { order_id } }) => showOrder(context, order_id),
  }),

  operation({
    surface: 'register',
    name: 'completeOrder',
    method: 'POST',
    path: `${ORDER}/complete`,
    permission: 'EMPLOYEE',
    summary: 'Completes a paid order: it was handed over or sent.',
    body: Type.Object({ ...WRITE_FIELDS, note, tracking_number: about('The number of the parcel.', optional(text())) }),
    example: { body: { id: 'till-7-0040', note: 'Left at the door', tracking_number: '1Z999AA10123456784' } },
    response: OrderResponse,
    async handle(context, { params: { order_id }, body }) {
      const notes = { trackingNumber: body.tracking_number || undefined, completedNote: body.note || undefined };
      return writeOrder(context, { name: 'completeOrder', orderId: order_id, action: 'COMPLETE', notes, body });
    },
  }),

  operation({
    surface: 'register',
    name: 'cancelOrder',
    method: 'POST',
    path: `${ORDER}/cancel`,
    permission: 'EMPLOYEE',
    summary: 'Cancels an order. A paid order is refunded at once, which requires REGISTER_ISSUE_REFUNDS.',
    body: Type.Object({ ...WRITE_FIELDS, note }),
    example: { body: { id: 'till-7-0041', note: 'Sold out' } },
    response: OrderResponse,
    async handle(context, { params: { order_id }, body }) {
      const notes = { canceledNote: body.note || undefined };
      return writeOrder(context, { name: 'cancelOrder', orderId: order_id, action: 'CANCEL', notes, body });
    },
  }),
];
