/** The settings that apply to all registers of the business. */
import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { PriceInput, parsePrice, printPrice } from '../../ui/price-input.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct } from '../../ui/save.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { useBusiness } from '../business.js';

type Settings = ResponseOf<typeof dashboard.retrieveRegisterSettings>;

export function RegisterSettings() {
  const query = useQuery({
    queryKey: ['retrieveRegisterSettings'],
    queryFn: () => call(dashboard.retrieveRegisterSettings),
  });
  const act = useAct();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Registers
      </Title>
      <Card padded>
        <QueryView query={query} loading={<LoadingBlock height={120} />}>
          {(settings) => (
            <Stack gap="lg">
              <Switch
                label="Discounts and lower prices need a permission"
                description="Only employees whose role may give restricted discounts can give a discount, or sell below the price in the catalogue. Custom amounts stay possible, and appear under Needs review."
                checked={settings.restrict_discounts}
                onChange={({ currentTarget: { checked } }) =>
                  act(
                    () => call(dashboard.updateRegisterSettings, { restrict_discounts: checked }),
                    checked ? 'Discounts and lower prices need a permission now' : 'Everybody may give discounts now',
                  )
                }
              />
              <OfflineCards key={JSON.stringify(settings.offline_cards)} settings={settings} />
            </Stack>
          )}
        </QueryView>
      </Card>
      <Text size="sm" c="dimmed">
        The settings apply to all registers of the business.
      </Text>
    </Stack>
  );
}

const KEPT_BY_PAGE =
  'The register keeps the card, without its number, and charges it when the network is back. It can be declined then.';
const KEPT_BY_OTHERS =
  'Only for register programs that use the API. The register page of this server takes no cards while it is offline, because the token of a card reader needs the network.';

/** Cards that are charged when the network is back can be declined then, so each has a limit. */
function OfflineCards({
  settings: { restrict_discounts, offline_cards, page_keeps_cards },
}: {
  readonly settings: Settings;
}) {
  const { currency } = useBusiness();
  const saved = offline_cards.limit_money ? printPrice(offline_cards.limit_money) : '';
  const [isAllowed, setAllowed] = useState(offline_cards.allowed);
  const [typed, setTyped] = useState(saved);
  const [error, setError] = useState<string>();
  const act = useAct();
  const save = (cards: Parameters<typeof toBody>[1], message: string) =>
    act(() => call(dashboard.updateRegisterSettings, toBody(restrict_discounts, cards)), message);
  const change = (allowed: boolean) => {
    setAllowed(allowed);
    setError(undefined);
    if (!allowed && offline_cards.allowed)
      void save({ allowed: false }, 'Registers take no cards while they are offline');
  };
  const submit = () => {
    const amount = parsePrice(typed, currency);
    if (amount === undefined || amount === 0) return setError('Type an amount, such as 50.');
    setError(undefined);
    void save({ allowed: true, limit_money: { amount } }, 'Registers keep cards while they are offline');
  };
  return (
    <Stack gap="sm">
      <Switch
        label="Take cards while offline"
        description={page_keeps_cards ? KEPT_BY_PAGE : KEPT_BY_OTHERS}
        checked={isAllowed}
        onChange={({ currentTarget: { checked } }) => change(checked)}
      />
      {isAllowed && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Group align="flex-start" gap="sm">
            <PriceInput
              label="At most, for each card"
              currency={currency}
              value={typed}
              onChange={setTyped}
              error={error}
              w={200}
            />
            <Button type="submit" mt={25} variant="default" disabled={offline_cards.allowed && typed === saved}>
              Save
            </Button>
          </Group>
        </form>
      )}
    </Stack>
  );
}

function toBody(
  restrict_discounts: boolean,
  offline_cards: { readonly allowed: boolean; readonly limit_money?: { readonly amount: number } },
) {
  return { restrict_discounts, offline_cards };
}
