/** What can be sold: categories, search, and the grid. It knows nothing of the cart, so that a tap does not draw it again. */
import { VisuallyHidden } from '@mantine/core';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconCoins, IconSearch, IconTags } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { type Catalogue, catalogue, findByBarcode } from '../core/catalogue.js';
import { device } from '../core/device.js';
import { Categories, SearchField } from './categories.js';
import { findItems, Grid } from './grid.js';
import classes from './sell.module.css';

interface ShelfProps {
  readonly onPick: (itemId: string) => void;
  readonly onCode: (code: string) => void;
  readonly onCustomAmount: () => void;
}

export const Shelf = memo(function Shelf(props: ShelfProps) {
  const known = useStore(catalogue);
  if (!known) return <LoadingShelf />;
  if (known.items.length === 0) {
    return (
      <section className={classes['shelf']} aria-label="Items">
        <VisuallyHidden component="h1">Sell</VisuallyHidden>
        <Empty icon={IconTags} title="Nothing to sell yet">
          The owner adds items to the catalogue in the dashboard. Until then, sell custom amounts.
        </Empty>
        <CustomAmountButton onClick={props.onCustomAmount} />
      </section>
    );
  }
  return <FullShelf {...props} catalogue={known} />;
});

function FullShelf({
  catalogue: known,
  onPick,
  onCode,
  onCustomAmount,
}: ShelfProps & { readonly catalogue: Catalogue }) {
  const [category, setCategory] = useState<string>();
  const [search, setSearch] = useState('');
  const hasPictures = useStore(device)?.settings.show_pictures ?? true;
  const searched = useDeferredValue(search);
  const items = useMemo(() => findItems(known, searched, category), [known, searched, category]);
  const used = useMemo(() => {
    const ids = new Set(known.items.map(({ category_id }) => category_id));
    return known.categories.filter(({ id }) => ids.has(id));
  }, [known]);
  const choose = useCallback((id: string | undefined) => {
    setSearch('');
    setCategory(id);
  }, []);
  const enter = (): void => {
    const typed = search.trim();
    const found = findItems(known, typed, undefined);
    if (findByBarcode(typed) || (found.length === 0 && /^\S{4,}$/.test(typed))) onCode(typed);
    else if (found.length === 1 && found[0]) onPick(found[0].id);
    else return;
    setSearch('');
  };
  return (
    <section className={classes['shelf']} aria-label="Items">
      <VisuallyHidden component="h1">Sell</VisuallyHidden>
      <div className={classes['tools']}>
        <Categories categories={used} chosen={search === '' ? category : undefined} onChoose={choose} />
        <div className={classes['find']}>
          <SearchField value={search} onChange={setSearch} onEnter={enter} />
          <CustomAmountButton onClick={onCustomAmount} />
        </div>
      </div>
      <div className={classes['scroll']} data-state={items.length > 0 ? 'full' : 'empty'}>
        {items.length > 0 ? (
          <Grid catalogue={known} items={items} hasPictures={hasPictures} onPick={onPick} />
        ) : (
          <Empty icon={IconSearch} title="Nothing found">
            No item has this name or code. Sell it as a custom amount, or ask the owner to add it.
          </Empty>
        )}
      </div>
    </section>
  );
}

function CustomAmountButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className={classes['custom']} onClick={onClick}>
      <IconCoins size={22} stroke={1.7} aria-hidden />
      Custom
    </button>
  );
}

function LoadingShelf() {
  return (
    <section className={classes['shelf']} aria-label="Items" role="status" aria-busy>
      <div className={classes['skeletons']}>
        {Array.from({ length: 12 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tiles are all the same
          <span key={index} className={classes['skeleton']} />
        ))}
      </div>
    </section>
  );
}
