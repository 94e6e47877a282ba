/** Edits an open sale: what it sells, and its label. Its tenders stay (decision 0153). */
import { recordFlags } from '../../access/devices/kept-writes.js';
import { Refusal } from '../../base/errors.js';
import type { Change } from '../../database/change.js';
import { readTendersOfSale } from '../payments/queries.js';
import { editOpenSale, noteAct } from '../sales/actions.js';
import { nextSaleState } from '../sales/model.js';
import { type NewSale, readSaleAtDevice, type SaleContext, sumReserved, toAct, toSaleAct } from './actions.js';
import { allowReductions, auditApproval } from './discounts.js';

export interface OpenSaleEdit extends Pick<NewSale, 'receipt' | 'label' | 'approval' | 'expectedDue'> {
  /** The id that the register chose for the edit. */
  readonly id: string;
  /** The version of the sale that the register has seen. */
  readonly version: string;
}

export async function editSale(change: Change, context: SaleContext, id: string, edit: OpenSaleEdit): Promise<void> {
  const { merchant, now } = context;
  const sale = await readSaleAtDevice(change, context, id);
  nextSaleState(sale, 'EDIT');
  if (sale.version !== edit.version) {
    throw new Refusal('CONFLICT', {
      field: 'version',
      detail: 'Another register has changed this sale. Look at what changed, and edit it again.',
    });
  }
  const act = await toSaleAct(change, context);
  const allowed = await allowReductions(change, act, {
    ...edit,
    before: sale.lines,
    sale: { operation: 'editSale', saleId: sale.id, writeId: edit.id },
  });
  auditApproval(change, act, sale.id, allowed);
  const { at } = act;
  const online = { id: edit.id, operation: 'editSale' };
  await recordFlags(change, context, { at, saleId: sale.id, more: allowed.flags, online });
  editOpenSale(change, merchant, sale, {
    lines: allowed.receipt,
    label: edit.label,
    expectedDue: edit.expectedDue,
    reserved: sumReserved(await readTendersOfSale(change, sale.id)),
    at,
    now,
  });
  noteAct(change, sale, toAct(act));
}
