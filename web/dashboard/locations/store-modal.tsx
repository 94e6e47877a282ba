/** Opens, edits and closes the online store of a location. */
import { ActionIcon, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconPlus, IconX } from '../../ui/icons.js';
import { PriceInput, parsePrice, printPrice } from '../../ui/price-input.js';
import { useSaved } from '../../ui/save.js';
import { useBusiness } from '../business.js';
import { parsePercent, printPercent } from '../catalogue/words.js';

export type Store = ResponseOf<typeof dashboard.retrieveStore>['store'];

/** What was typed for a promo code. The key stays with its row when others are removed. */
interface CodeDraft {
  readonly key: number;
  readonly code: string;
  readonly percent: string;
}

interface Draft {
  readonly isOpen: boolean;
  readonly shipping: string;
  readonly codes: readonly CodeDraft[];
}

/** Saving a closed store opens it, because that is why the owner opens this dialog. */
function toDraft({ shipping_money, promo_codes }: Store): Draft {
  return {
    isOpen: true,
    shipping: printPrice(shipping_money),
    codes: promo_codes.map(({ code, rate }, key) => ({ key, code, percent: printPercent(rate).replace(' %', '') })),
  };
}

function readDraft({ isOpen, shipping, codes }: Draft, currency: string) {
  const amount = parsePrice(shipping, currency);
  if (amount === undefined) throw new Error('Type what shipping costs, such as 6. With 0 it is free.');
  const promo_codes = codes.map(({ code, percent }) => {
    const rate = parsePercent(percent);
    if (rate === undefined) throw new Error(`Type a percentage from 0 to 100 for the code ${code}.`);
    return { code, rate };
  });
  return { is_open: isOpen, shipping_money: { amount }, promo_codes };
}

export function StoreModal({ store, onClose }: { readonly store: Store; readonly onClose: () => void }) {
  const { currency } = useBusiness();
  const [draft, setDraft] = useState(() => toDraft(store));
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const saved = useSaved();
  const isOpen = store.page_path !== undefined;
  const save = async () => {
    await call(dashboard.updateStore, { location_id: store.location_id, ...readDraft(draft, currency) });
    await saved(draft.isOpen ? 'The store is open' : 'The store is closed');
  };
  return (
    <FormModal
      title={isOpen ? 'Edit the store' : 'Open the store'}
      submitLabel={isOpen ? 'Save' : 'Open'}
      onClose={onClose}
      onSubmit={save}
    >
      {(errorOf) => (
        <>
          {isOpen && (
            <Switch
              label="The page is open"
              description="While it is closed, its address says that there is no store."
              checked={draft.isOpen}
              onChange={({ currentTarget: { checked } }) => change({ isOpen: checked })}
            />
          )}
          <PriceInput
            label="Shipping for each order"
            description="With 0 it is free."
            currency={currency}
            required
            value={draft.shipping}
            onChange={(shipping) => change({ shipping })}
            error={errorOf('shipping_money') ?? errorOf('shipping_money.amount')}
            data-autofocus
          />
          <Codes value={draft.codes} onChange={(codes) => change({ codes })} error={errorOf('promo_codes')} />
        </>
      )}
    </FormModal>
  );
}

interface CodesProps {
  readonly value: readonly CodeDraft[];
  readonly onChange: (value: readonly CodeDraft[]) => void;
  readonly error: string | undefined;
}

function Codes({ value, onChange, error }: CodesProps) {
  const replace = (key: number, part: Partial<CodeDraft>): void =>
    onChange(value.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const add = (): void => {
    const key = Math.max(-1, ...value.map((each) => each.key)) + 1;
    onChange([...value, { key, code: '', percent: '' }]);
  };
  return (
    <Stack gap="xs" role="group" aria-labelledby="promo-codes">
      <Text id="promo-codes" size="sm" fw={600}>
        Promo codes
      </Text>
      {value.map(({ key, code, percent }, index) => (
        <Group key={key} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`Code ${index + 1}`}
            placeholder="WELCOME10"
            required
            maxLength={64}
            style={{ flex: 1 }}
            value={code}
            onChange={(event) => replace(key, { code: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Percent off with code ${index + 1}`}
            placeholder="10"
            required
            inputMode="decimal"
            w={84}
            rightSection="%"
            value={percent}
            onChange={(event) => replace(key, { percent: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove code ${index + 1}`}
            onClick={() => onChange(value.filter((each) => each.key !== key))}
          >
            <IconX size={17} />
          </ActionIcon>
        </Group>
      ))}
      <Button w="fit-content" size="compact-sm" variant="subtle" leftSection={<IconPlus size={16} />} onClick={add}>
        Add a code
      </Button>
      {error !== undefined && (
        <Text size="sm" c="var(--danger-text)" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}
