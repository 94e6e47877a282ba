/** What the store sells, by category. */
import { Box, Button, Chip, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useAddress } from '../../ui/address.js';
import { IconBasket } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty } from '../../ui/states.js';
import { addLine } from '../cart/cart.js';
import { type Item, useItems, useStoreFacts } from '../goods.js';
import { Picture } from '../picture.js';
import classes from './catalogue.module.css';
import { ItemDialog } from './item-dialog.js';

export function Page() {
  const items = useItems();
  const { data: store } = useStoreFacts();
  useEffect(() => {
    if (store) document.title = store.business_name;
  }, [store]);
  return (
    <Stack gap="xl">
      <Stack gap={4}>
        <Title order={1} size="1.75rem">
          {store?.business_name ?? 'Store'}
        </Title>
        {store?.description !== undefined && (
          <Text c="dimmed" size="lg" maw={680}>
            {store.description}
          </Text>
        )}
      </Stack>
      <QueryView
        query={items}
        loading={<LoadingTiles />}
        isEmpty={({ length }) => length === 0}
        empty={
          <Card>
            <Empty icon={IconBasket} title="Nothing for sale yet">
              This store is open, but it has no items. Please come back later.
            </Empty>
          </Card>
        }
      >
        {(found) => <Categories items={found} />}
      </QueryView>
    </Stack>
  );
}

function LoadingTiles() {
  return (
    <div className={classes['grid']} role="status" aria-label="Loading">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <Skeleton key={key} height={280} radius="lg" />
      ))}
    </div>
  );
}

const OTHER = 'More';

function Categories({ items }: { readonly items: readonly Item[] }) {
  const [chosen, choose] = useAddress('category');
  const [opened, open] = useState<Item>();
  const categories = [...new Set(items.map(({ category_name = OTHER }) => category_name))];
  const shown = chosen !== undefined && categories.includes(chosen) ? [chosen] : categories;
  return (
    <Stack gap={36} data-state="full">
      {categories.length > 1 && (
        <Chip.Group value={chosen ?? ''} onChange={(value) => choose(value === '' ? undefined : String(value))}>
          <Group gap="xs" role="radiogroup" aria-label="Category">
            {['', ...categories].map((name) => (
              <Chip key={name} value={name} size="md" variant="outline">
                {name === '' ? 'All' : name}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      )}
      {shown.map((name) => (
        <Box component="section" key={name} aria-label={name}>
          {categories.length > 1 && (
            <Title order={2} size="h3" mb="md">
              {name}
            </Title>
          )}
          <div className={classes['grid']}>
            {items
              .filter(({ category_name = OTHER }) => category_name === name)
              .map((item) => (
                <Tile key={item.id} item={item} onOpen={() => open(item)} />
              ))}
          </div>
        </Box>
      ))}
      {opened && <ItemDialog item={opened} onClose={() => open(undefined)} />}
    </Stack>
  );
}

/** An item without choices goes into the cart at once. */
function Tile({ item, onOpen }: { readonly item: Item; readonly onOpen: () => void }) {
  const [only, another] = item.variations;
  const simple = only && !another && item.modifier_lists.length === 0 ? only : undefined;
  const prices = new Set(item.variations.map(({ price_money }) => price_money.amount));
  return (
    <article className={classes['tile']}>
      <Picture item={item} size="tile" />
      <div className={classes['text']}>
        <Title order={3} size="1rem" style={{ overflowWrap: 'anywhere' }}>
          {item.name}
        </Title>
        {item.description !== undefined && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {item.description}
          </Text>
        )}
        <Group justify="space-between" mt="auto" pt="xs" wrap="nowrap">
          <Text fw={600}>
            {prices.size > 1 && 'from '}
            {printMoney(item.price_money)}
          </Text>
          {simple ? (
            <AddButton
              name={item.name}
              onAdd={() => addLine({ itemId: item.id, variationId: simple.id, optionIds: [], quantity: 1 })}
            />
          ) : (
            <Button size="sm" variant="default" flex="none" aria-label={`Choose ${item.name}`} onClick={onOpen}>
              Choose
            </Button>
          )}
        </Group>
      </div>
    </article>
  );
}

const ADDED_MS = 1500;

/** Shows for a moment that the item was added. */
function AddButton({ name, onAdd }: { readonly name: string; readonly onAdd: () => void }) {
  const [added, setAdded] = useState(0);
  useEffect(() => {
    if (added === 0) return;
    const timer = setTimeout(() => setAdded(0), ADDED_MS);
    return () => clearTimeout(timer);
  }, [added]);
  return (
    <Button
      size="sm"
      variant="light"
      color="juniper"
      classNames={{ root: classes['add'] ?? '' }}
      onClick={() => {
        onAdd();
        setAdded(added + 1);
      }}
    >
      <span aria-live="polite">
        {added > 0 ? 'Added' : 'Add'}
        <VisuallyHidden> {name}</VisuallyHidden>
      </span>
    </Button>
  );
}
