/** The items of a category or of a search, as tiles. */
import { memo, useMemo } from 'react';
import { printMoney } from '../../ui/money.js';
import type { Catalogue } from '../core/catalogue.js';
import type { WireItem } from '../core/wire.js';
import classes from './grid.module.css';
import { Tile } from './tile.js';

const HUES = 8;

/** The category decides the colour, so that a hand finds the drinks without reading. */
function huesOf({ categories }: Catalogue): ReadonlyMap<string | undefined, number> {
  return new Map(categories.map(({ id }, index) => [id, index % HUES]));
}

function priceOf({ variations }: WireItem): string {
  const amounts = variations.map(({ price_money }) => price_money.amount);
  const [first] = variations;
  if (!first) return '';
  const least = printMoney({ ...first.price_money, amount: Math.min(...amounts) });
  return new Set(amounts).size > 1 ? `from ${least}` : least;
}

/** Each word of the search must begin a word of the name, of a variation or of the category, or be a part of a code. */
export function findItems(catalogue: Catalogue, search: string, category: string | undefined): readonly WireItem[] {
  const words = normalize(search).split(' ').filter(Boolean);
  if (words.length === 0) {
    return category === undefined ? catalogue.items : catalogue.items.filter((item) => item.category_id === category);
  }
  const names = new Map(catalogue.categories.map(({ id, name }) => [id, name]));
  return catalogue.items.filter((item) => {
    const text = normalize(
      [item.name, names.get(item.category_id ?? '') ?? '', ...item.variations.map(({ name }) => name)].join(' '),
    );
    const codes = item.variations.map(({ sku = '' }) => normalize(sku));
    return words.every(
      (word) => ` ${text}`.includes(` ${word}`) || (word.length > 2 && codes.some((code) => code.includes(word))),
    );
  });
}

function normalize(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

interface GridProps {
  readonly catalogue: Catalogue;
  readonly items: readonly WireItem[];
  readonly hasPictures: boolean;
  readonly onPick: (id: string) => void;
}

export const Grid = memo(function Grid({ catalogue, items, hasPictures, onPick }: GridProps) {
  const hues = useMemo(() => huesOf(catalogue), [catalogue]);
  return (
    <div className={classes['grid']}>
      {items.map((item) => (
        <Tile
          key={item.id}
          id={item.id}
          name={item.name}
          price={priceOf(item)}
          hue={hues.get(item.category_id) ?? HUES - 1}
          picture={hasPictures ? item.picture_url : undefined}
          onPick={onPick}
        />
      ))}
    </div>
  );
});
