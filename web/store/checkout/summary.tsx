/** What the order costs, as the server computes it, and the promo code. */
import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { checkout } from '../../client/checkout-operations.js';
import { asProblem } from '../../client/problem.js';
import { printMoney, type WireMoney } from '../../ui/money.js';
import { ask } from '../ask.js';
import { type Cart, changeCart, useCart } from '../cart/cart.js';
import { toOrderItems } from './paying.js';

function readPrice({ lines, details, promoCode }: Cart) {
  const body = { items: toOrderItems(lines), fulfillment: details.fulfillment };
  return ask(checkout.priceOrder, { ...body, ...(promoCode !== undefined && { promo_code: promoCode }) });
}

export function usePrice() {
  const cart = useCart();
  const { lines, details, promoCode } = cart;
  return useQuery({
    queryKey: ['price', lines, details.fulfillment, promoCode],
    queryFn: async () => (await readPrice(cart)).price,
    placeholderData: keepPreviousData,
    enabled: lines.length > 0,
  });
}

export function Summary({ isLocked }: { readonly isLocked: boolean }) {
  const { data: price, error, refetch } = usePrice();
  return (
    <Stack gap="sm">
      <PromoCode isLocked={isLocked} />
      {error && (
        <Group justify="space-between" role="alert">
          <Text c="var(--danger-text)">{asProblem(error).message}</Text>
          <Button size="compact-sm" variant="default" onClick={() => refetch()}>
            Try again
          </Button>
        </Group>
      )}
      {!price && !error && <Skeleton height={110} role="status" aria-label="Loading" />}
      {price && !error && (
        <Stack gap={6}>
          <Sums lines={price.receipt_lines} />
        </Stack>
      )}
    </Stack>
  );
}

interface SumsProps {
  readonly lines: readonly { readonly name: string; readonly amount_money: WireMoney; readonly is_sum: boolean }[];
}

/** As the receipt says them. */
export function Sums({ lines }: SumsProps) {
  return lines.map(({ name, amount_money, is_sum }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same name, and the order never changes
    <Sum key={index} name={name} value={amount_money} isStrong={is_sum} />
  ));
}

interface SumProps {
  readonly name: string;
  readonly value: WireMoney;
  readonly isStrong?: boolean;
}

export function Sum({ name, value, isStrong = false }: SumProps) {
  return (
    <Group justify="space-between" fw={isStrong ? 700 : 400} fz={isStrong ? 'lg' : 'md'}>
      <span>{name}</span>
      <span>{printMoney(value)}</span>
    </Group>
  );
}

/** A code is kept only if the server accepts it. */
function PromoCode({ isLocked }: { readonly isLocked: boolean }) {
  const cart = useCart();
  const [typed, setTyped] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const apply = async (): Promise<void> => {
    const promoCode = typed.trim();
    if (promoCode === '') return;
    setBusy(true);
    setRefusal(undefined);
    try {
      await readPrice({ ...cart, promoCode });
      changeCart({ promoCode });
      setTyped('');
    } catch (error) {
      setRefusal(asProblem(error).message);
    } finally {
      setBusy(false);
    }
  };
  if (cart.promoCode !== undefined) {
    return (
      <Group justify="space-between">
        <Text>
          Promo code <b>{cart.promoCode}</b>
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={isLocked}
          onClick={() => changeCart({ promoCode: undefined })}
        >
          Remove
        </Button>
      </Group>
    );
  }
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        label="Promo code"
        value={typed}
        error={refusal}
        disabled={isLocked}
        maxLength={64}
        style={{ flex: 1 }}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault(); // the form would pay
          void apply();
        }}
      />
      <Button mt={23} variant="default" loading={isBusy} disabled={isLocked} onClick={apply}>
        Apply
      </Button>
    </Group>
  );
}
