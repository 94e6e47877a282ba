/** Changes the name and the prices of an item in the catalogue, for all registers. */
import { useState } from 'react';
import { parsePrice, printPrice } from '../../ui/price-input.js';
import { call, register } from '../core/call.js';
import { refreshCatalogue } from '../core/catalogue.js';
import type { WireItem } from '../core/wire.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { TextField } from '../parts/text-field.js';

export function EditItem({ item, onClose }: { readonly item: WireItem; readonly onClose: () => void }) {
  const [name, setName] = useState(item.name);
  const [prices, setPrices] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(item.variations.map(({ id, price_money }) => [id, printPrice(price_money)])),
  );
  const { attempt, isBusy } = useAttempt();
  const amounts = item.variations.map(({ id, price_money }) => ({
    id,
    amount: parsePrice(prices[id] ?? '', price_money.currency),
  }));
  const isReady = name.trim() !== '' && amounts.every(({ amount }) => amount !== undefined);
  const save = async (): Promise<void> => {
    const isDone = await attempt(async () => {
      try {
        await call(register.editItemAtRegister, {
          item_id: item.id,
          version: item.version,
          name: name.trim(),
          variations: amounts.map(({ id, amount = 0 }) => ({ id, price_money: { amount } })),
        });
      } finally {
        await refreshCatalogue().catch(() => {});
      }
    }, 'Saved for all registers.');
    if (isDone) onClose();
  };
  return (
    <Panel
      title={`Edit ${item.name}`}
      size={460}
      onClose={onClose}
      footer={
        <BigButton tone="main" isTall isDisabled={!isReady} isBusy={isBusy} onClick={save}>
          Save for all registers
        </BigButton>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={255} />
      {item.variations.map(({ id, name: variation, price_money: { currency } }) => (
        <TextField
          key={id}
          label={item.variations.length > 1 ? `Price of ${variation}` : 'Price'}
          inputMode="decimal"
          value={prices[id] ?? ''}
          onChange={(typed) => setPrices({ ...prices, [id]: typed })}
          error={parsePrice(prices[id] ?? '', currency) === undefined ? 'Type an amount, such as 4.50.' : undefined}
        />
      ))}
    </Panel>
  );
}
