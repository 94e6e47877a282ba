/** The online store of a location: whether its page is open, what shipping costs, and promo codes. */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { Facts } from '../../ui/facts.js';
import { Money } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printPercent } from '../catalogue/words.js';
import { Section } from './section.js';
import { type Store, StoreModal } from './store-modal.js';

export function OnlineStore({ locationId }: { readonly locationId: string }) {
  const query = useQuery({
    queryKey: ['retrieveStore', { location_id: locationId }],
    queryFn: async () => (await call(dashboard.retrieveStore, { location_id: locationId })).store,
  });
  return (
    <Section title="Online store" description="A page where shoppers order the items that are sold online here.">
      <QueryView query={query} loading={<LoadingBlock height={120} />}>
        {(store) => <StoreFacts store={store} />}
      </QueryView>
    </Section>
  );
}

function StoreFacts({ store }: { readonly store: Store }) {
  const [isEditing, setEditing] = useState(false);
  const { page_path: path, shipping_money: shipping, promo_codes: codes } = store;
  const isOpen = path !== undefined;
  const facts = [
    { name: 'Page', value: isOpen ? <Anchor href={path}>{path}</Anchor> : 'None while the store is closed' },
    { name: 'Shipping', value: shipping.amount === 0 ? 'Free' : <Money value={shipping} /> },
    {
      name: 'Promo codes',
      value:
        codes.length === 0
          ? 'None'
          : codes.map(({ code, rate }) => <div key={code}>{`${code}: ${printPercent(rate)} off`}</div>),
    },
  ];
  return (
    <Stack gap="md">
      <Group gap="sm" justify="space-between">
        <Tag tone={isOpen ? 'good' : 'quiet'}>{isOpen ? 'Open' : 'Closed'}</Tag>
        <Button size="xs" variant={isOpen ? 'default' : 'filled'} onClick={() => setEditing(true)}>
          {isOpen ? 'Edit the store' : 'Open the store'}
        </Button>
      </Group>
      <Facts facts={facts} />
      {isOpen && (
        <Text size="sm" c="dimmed">
          Items are sold there if they are marked as sold online in the catalogue.
        </Text>
      )}
      {isEditing && <StoreModal store={store} onClose={() => setEditing(false)} />}
    </Stack>
  );
}
