/** The catalogue: items, and the categories, modifiers, discounts and taxes that they share. */
import { useAddress } from '../../ui/address.js';
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { Categories } from './categories.js';
import { Discounts } from './discounts.js';
import { Items } from './items.js';
import { ModifierLists } from './modifier-lists.js';
import { NewItemButton } from './new-item-button.js';
import { Taxes } from './taxes.js';

const TABS = [
  { name: 'items', label: 'Items', content: Items },
  { name: 'categories', label: 'Categories', content: Categories },
  { name: 'modifiers', label: 'Modifiers', content: ModifierLists },
  { name: 'discounts', label: 'Discounts', content: Discounts },
  { name: 'taxes', label: 'Taxes', content: Taxes },
] as const;

export function Page() {
  const [tab] = useAddress('tab');
  return (
    <Frame
      title="Catalogue"
      description="What your registers and online stores sell, and at which price."
      // The other tabs have buttons of their own.
      actions={tab === undefined && <NewItemButton />}
    >
      <PageTabs tabs={TABS} />
    </Frame>
  );
}
