/** The catalogue: items, and the categories, modifiers, discounts and taxes that they share. */
import { Button, Tabs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAddress } from '../../ui/address.js';
import { IconPlus } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { Categories } from './categories.js';
import { Discounts } from './discounts.js';
import { Items } from './items.js';
import { ModifierLists } from './modifier-lists.js';
import { Taxes } from './taxes.js';

const TABS = {
  items: { label: 'Items', content: Items },
  categories: { label: 'Categories', content: Categories },
  modifiers: { label: 'Modifiers', content: ModifierLists },
  discounts: { label: 'Discounts', content: Discounts },
  taxes: { label: 'Taxes', content: Taxes },
} as const;

type TabName = keyof typeof TABS;

export function Page() {
  const [chosen = 'items', choose] = useAddress('tab');
  const name = chosen in TABS ? (chosen as TabName) : 'items';
  const Content = TABS[name].content;
  return (
    <Frame
      title="Catalogue"
      description="What your registers and online stores sell, and at which price."
      actions={<NewItemButton />}
    >
      <Tabs
        value={name}
        onChange={(tab) => choose(tab === 'items' ? undefined : (tab ?? undefined))}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {Object.entries(TABS).map(([value, { label }]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={name}>
          <Content />
        </Tabs.Panel>
      </Tabs>
    </Frame>
  );
}

export function NewItemButton({ label = 'New item' }: { readonly label?: string }) {
  return (
    <Button component={Link} to="/dashboard/catalogue/items/new" leftSection={<IconPlus size={18} />}>
      {label}
    </Button>
  );
}
