/** Refunds a sale: all that is left, items, or an amount. The server computes the sum, and the button says it. */
import { Alert, NumberInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { tenderName } from '../../../src/business/tenders/words.js';
import { call } from '../../client/call.js';
import { dashboard, type InputOf, type ResponseOf } from '../../client/operations.js';
import { asProblem } from '../../client/problem.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconAlertTriangle } from '../../ui/icons.js';
import { Money, parseMoney, printMoney } from '../../ui/money.js';
import { useSaved } from '../../ui/save.js';
import { DisputeWarning } from './dispute-warning.js';
import { Line } from './receipt-view.js';
import type { SaleDetail } from './sale.js';

type Way = 'WHOLE' | 'ITEMS' | 'AMOUNT';
type Quantities = Readonly<Record<number, number>>;
type Wanted = Omit<InputOf<typeof dashboard.quoteRefund>, 'sale_id'>;

interface RefundModalProps {
  readonly sale: SaleDetail;
  readonly onClose: () => void;
}

/** What the owner has chosen so far. Undefined while something is missing. */
function useWanted(sale: SaleDetail) {
  const [way, setWay] = useState<Way>('WHOLE');
  const [tender, setTender] = useState<string>();
  const [quantities, setQuantities] = useState<Quantities>({});
  const [typed, setTyped] = useState('');
  const refundable = sale.tenders.filter(({ refundable_money }) => refundable_money.amount > 0);
  const { currency } = sale.total_money;
  const only = refundable.length === 1 ? refundable[0]?.id : undefined;
  const chosen = { tender_id: tender ?? (way === 'AMOUNT' ? only : undefined) };
  const items = Object.entries(quantities)
    .filter(([, quantity]) => quantity > 0)
    .map(([line, quantity]) => ({ line: Number(line), quantity: String(quantity) }));
  const amount = parseMoney(typed, currency);
  const wanted: Readonly<Record<Way, Wanted | undefined>> = {
    WHOLE: { type: 'WHOLE', ...chosen },
    ITEMS: items.length === 0 ? undefined : { type: 'ITEMS', items, ...chosen },
    AMOUNT:
      amount && chosen.tender_id !== undefined
        ? { type: 'AMOUNT', amount_money: { amount, currency }, ...chosen }
        : undefined,
  };
  return {
    ...{ way, setWay, tender, setTender, quantities, setQuantities, typed, setTyped, refundable },
    wanted: wanted[way],
  };
}

const REASONS = ['Returned goods', 'Accidental charge', 'Canceled order', 'Wrong item', 'Complaint'];

/** A new key for each request that differs from those before. A retry of the same request has the same key. */
function useKeys(): (request: unknown) => string {
  const keys = useRef(new Map<string, string>());
  return (request) => {
    const text = JSON.stringify(request);
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const key = keys.current.get(text) ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    keys.current.set(text, key);
    return key;
  };
}

export function RefundModal({ sale, onClose }: RefundModalProps) {
  const choice = useWanted(sale);
  const { wanted } = choice;
  const [reason, setReason] = useState('');
  const [saved, queries, keyOf] = [useSaved(), useQueryClient(), useKeys()];
  const quote = useQuery({
    queryKey: ['quoteRefund', sale.id, wanted],
    queryFn: () => call(dashboard.quoteRefund, { sale_id: sale.id, ...(wanted as Wanted) }),
    enabled: wanted !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isReady = wanted !== undefined && quote.data !== undefined && !quote.isPlaceholderData && !quote.error;
  const sum = isReady ? quote.data : undefined;
  const disputes = sum?.disputes ?? [];
  const [overruled, setOverruled] = useState<readonly string[]>([]);
  const isOverruled = disputes.every(({ id }) => overruled.includes(id));
  const refund = async () => {
    if (!wanted || !sum) return;
    const named = disputes.length > 0 && { overruled_disputes: disputes.map(({ id }) => id) };
    const request = { ...wanted, amount_money: sum.amount_money, reason: reason || undefined, ...named };
    try {
      await call(dashboard.refundSale, { sale_id: sale.id, ...request, idempotency_key: keyOf(request) });
    } catch (error) {
      // Somebody else may have refunded a part meanwhile: the page and the figures here show it.
      await queries.invalidateQueries({ queryKey: ['retrieveSale'] });
      await queries.invalidateQueries({ queryKey: ['quoteRefund'] });
      throw error;
    }
    await saved(`${printMoney(sum.amount_money)} refunded`);
  };
  const [part, ...parts] = sum?.tenders ?? [];
  const single = part && parts.length === 0 ? payerOf(sale, part) : undefined;
  const label = `Refund${sum ? ` ${printMoney(sum.amount_money)}` : ''}${single ? ` to ${tenderName(single)}` : ''}`;
  return (
    <FormModal
      title="Refund"
      submitLabel={label}
      danger={disputes.length > 0}
      isReady={isReady && isOverruled}
      onClose={onClose}
      onSubmit={refund}
    >
      {(errorOf) => (
        <>
          <WayChoice sale={sale} choice={choice} />
          {choice.way === 'ITEMS' && <ItemsChoice sale={sale} choice={choice} />}
          {choice.way === 'AMOUNT' && (
            <AmountChoice sale={sale} choice={choice} error={errorOf('amount_money.amount')} />
          )}
          {choice.refundable.length > 1 && <TenderChoice sale={sale} choice={choice} />}
          <TextInput
            label="Reason"
            description="The customer does not see it."
            maxLength={192}
            list="refund-reasons"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <datalist id="refund-reasons">
            {REASONS.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
          {quote.error ? (
            <Alert variant="light" color="yellow" icon={<IconAlertTriangle size={20} />} role="status">
              <Text inherit c="var(--mantine-color-text)">
                {asProblem(quote.error).message}
              </Text>
            </Alert>
          ) : (
            sum && sum.tenders.length > 1 && <Parts sale={sale} parts={sum.tenders} />
          )}
          {disputes.length > 0 && (
            <DisputeWarning
              sale={sale}
              disputes={disputes}
              isOverruled={isOverruled}
              onChange={(isChecked) => setOverruled(isChecked ? disputes.map(({ id }) => id) : [])}
            />
          )}
        </>
      )}
    </FormModal>
  );
}

type Choice = ReturnType<typeof useWanted>;

interface ChoiceProps {
  readonly sale: SaleDetail;
  readonly choice: Choice;
}

function WayChoice({ sale, choice }: ChoiceProps) {
  return (
    <Stack gap={6}>
      <SegmentedControl
        fullWidth
        aria-label="What is refunded"
        data={[
          { value: 'WHOLE', label: `All, ${printMoney(sale.refundable_money)}` },
          { value: 'ITEMS', label: 'Items', disabled: !sale.refunds_by_item },
          { value: 'AMOUNT', label: 'An amount' },
        ]}
        value={choice.way}
        onChange={(chosen) => choice.setWay(chosen as Way)}
      />
      {sale.receipt && !sale.refunds_by_item && (
        <Text size="sm" c="dimmed">
          A part was refunded by amount, so single items cannot be chosen any more.
        </Text>
      )}
    </Stack>
  );
}

function ItemsChoice({ sale, choice }: ChoiceProps) {
  const { quantities, setQuantities } = choice;
  const left = (sale.receipt?.items ?? []).filter(({ quantity, returned_quantity }) => returned_quantity < quantity);
  return (
    <Stack gap="xs" role="group" aria-label="Items">
      {left.map(({ line, name, quantity, returned_quantity, total_money }) => {
        const most = Math.round((quantity - returned_quantity) * 100_000) / 100_000;
        return (
          <NumberInput
            key={line}
            label={name}
            description={
              <>
                {most} of {quantity}, together <Money value={total_money} /> with taxes and discounts
              </>
            }
            min={0}
            max={most}
            step={Math.min(1, most)}
            decimalScale={5}
            clampBehavior="strict"
            value={quantities[line] ?? 0}
            onChange={(chosen) => setQuantities({ ...quantities, [line]: Number(chosen) || 0 })}
          />
        );
      })}
      <Text size="sm" c="dimmed">
        Tips and surcharges belong to no item. Refund them as an amount.
      </Text>
    </Stack>
  );
}

function AmountChoice({ sale, choice, error }: ChoiceProps & { readonly error: string | undefined }) {
  return (
    <TextInput
      label={`Amount in ${sale.total_money.currency}`}
      description={
        <>
          At most <Money value={sale.refundable_money} />
        </>
      }
      inputMode="decimal"
      placeholder="0.00"
      required
      data-autofocus
      value={choice.typed}
      onChange={(event) => choice.setTyped(event.currentTarget.value)}
      error={error}
    />
  );
}

function TenderChoice({ sale, choice }: ChoiceProps) {
  const isNeeded = choice.way === 'AMOUNT';
  return (
    <Select
      label="Refund to"
      placeholder={isNeeded ? 'Choose a tender' : 'All tenders, in the order in which they were taken'}
      data={sale.tenders
        .filter(({ refundable_money }) => refundable_money.amount > 0)
        .map((tender) => ({
          value: tender.id,
          label: `${tenderName(tender)}, ${printMoney(tender.refundable_money)} refundable`,
        }))}
      value={choice.tender ?? null}
      clearable={!isNeeded}
      required={isNeeded}
      onChange={(chosen) => choice.setTender(chosen ?? undefined)}
    />
  );
}

type Part = ResponseOf<typeof dashboard.quoteRefund>['tenders'][number];

/** What the money goes back to: the tender itself, or what was paid for the goods that paid by it. */
function payerOf(sale: SaleDetail, { tender_id, returned_to }: Part) {
  return returned_to ?? sale.tenders.find(({ id }) => id === tender_id);
}

interface PartsProps {
  readonly sale: SaleDetail;
  readonly parts: readonly Part[];
}

function Parts({ sale, parts }: PartsProps) {
  return (
    <div>
      {parts.map((part, index) => {
        const payer = payerOf(sale, part);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: several parts may be of one tender
          <Line key={index} name={payer ? `To ${tenderName(payer)}` : ''} value={part.amount_money} isQuiet />
        );
      })}
    </div>
  );
}
