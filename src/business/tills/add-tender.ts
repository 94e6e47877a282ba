/** Takes one more tender for an open sale. What a register took offline for a sale that another one has paid meanwhile is recorded too. */
import { admitKeptWrite, recordFlags } from '../../access/devices/kept-writes.js';
import { parseOccurredAt, readKnownResponse, recordWrite } from '../../access/devices/register-writes.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import type { Change } from '../../database/change.js';
import { recordSurplusCash } from '../cash-drawers/actions.js';
import { requireSource } from '../payments/outcomes.js';
import { readTendersOfSale } from '../payments/queries.js';
import { noteAct } from '../sales/actions.js';
import type { EditableSale } from '../sales/queries.js';
import {
  type RegisterSaleWithTenders,
  readSaleAtDevice,
  resolveTenders,
  type SaleAct,
  type SaleContext,
  sumReserved,
  takeTenders,
  toAct,
  toSaleAct,
} from './actions.js';
import { findSurplus, nameOf, type Surplus, toSurplusFlag } from './paid-twice.js';
import { type NewTender, requireSameTender } from './tenders.js';

/** A retry with the same tender id has no further effect. */
export async function addTender(context: SaleContext, id: string, tender: NewTender): Promise<RegisterSaleWithTenders> {
  if (tender.source.kind === 'CARD') requireSource(tender.source.sourceId);
  const saleId = await context.database.change(context.merchant.id, async (change) => {
    const sale = await readSaleAtDevice(change, context, id);
    const before = await readTendersOfSale(change, sale.id);
    const known = before.find(({ registerTenderId }) => registerTenderId === tender.registerTenderId);
    if (known) requireSameTender(known, tender);
    else if (!(await isRecordedSurplus(change, context, sale, tender))) {
      admitKeptWrite(context);
      const act = await toSaleAct(change, context);
      const takenAt = parseOccurredAt(context, context.occurredAt);
      const surplus = findSurplus(context.kept, { sale, before, reserved: sumReserved(before), tender, takenAt });
      const needed = surplus ? surplus.needed : tender;
      if (needed) {
        await takeTenders(change, act, { sale, before }, [needed]);
        noteAct(change, sale, toAct(act));
      }
      const more = surplus ? [await recordSurplus(change, act, { sale, tender, surplus })] : [];
      await recordFlags(change, context, { at: act.at, saleId: sale.id, more });
    }
    return sale.id;
  });
  return resolveTenders(context, saleId);
}

interface TenderWithSurplus {
  readonly sale: EditableSale;
  readonly tender: NewTender;
  readonly surplus: Surplus;
}

/** Cash goes into the drawer. A tender that pays nothing leaves no payment, so its id is kept as that of a write. */
async function recordSurplus(change: Change, act: SaleAct, { sale, tender, surplus }: TenderWithSurplus) {
  const { ids, merchant } = act;
  const { needed, amount } = surplus;
  const description = `Cash for ${nameOf(sale)}, which needed none any more`;
  const isInDrawer =
    tender.source.kind === 'CASH' && (await recordSurplusCash(change, { ids, ...toAct(act) }, { amount, description }));
  if (!needed) recordWrite(change, toWrite(act, sale, tender), {});
  return toSurplusFlag(sale, tender, { amount, currency: merchant.currency, isInDrawer });
}

async function isRecordedSurplus(
  change: Change,
  context: SaleContext,
  sale: EditableSale,
  tender: NewTender,
): Promise<boolean> {
  return !!context.kept && (await readKnownResponse(change, toWrite(context, sale, tender))) !== undefined;
}

function toWrite({ device }: Pick<SaleAct, 'device'>, { id }: EditableSale, tender: NewTender) {
  const request = new NormalizedRequest([`takeTender:${id}`, tender]);
  return { device, id: tender.registerTenderId, request };
}
