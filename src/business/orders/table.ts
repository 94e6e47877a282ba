/** Defines the table of online orders. */
import type { Definitions } from '../../database/columns.js';
import { Table } from '../../database/table.js';
import type { Order } from './model.js';

/** The columns that responses show. */
export const ORDER: Definitions<Order> = {
  id: { column: 'order_id', as: 'value' },
  locationId: 'value',
  state: 'value',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  saleId: 'value',
  currency: 'value',
  subtotal: 'value',
  shipping: 'value',
  tax: 'value',
  discount: 'value',
  total: 'value',
  buyerEmail: 'value',
  recipientName: 'value',
  recipientPhoneNumber: 'value',
  fulfillment: 'value',
  shippingAddress: 'json text',
  buyerNote: 'value',
  promoCode: 'value',
  completedNote: 'value',
  canceledNote: 'value',
  refundedNote: 'value',
  history: 'json',
};

export interface StoredOrder extends Order {
  readonly tokenHash: Buffer;
  /** The id that the store's page chose. */
  readonly clientId: string;
  readonly requestHash: Buffer;
  readonly trackingNumber: string | null;
}

export const orders = new Table<StoredOrder>('orders', {
  key: ['id'],
  columns: { ...ORDER, tokenHash: 'bytes', clientId: 'value', requestHash: 'bytes', trackingNumber: 'value' },
});
