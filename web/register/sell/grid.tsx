/**
 * The items of a category or of a search, as tiles. Groups of rows that are out of sight are neither laid out nor painted, because the work
 * of a browser for each tap grows with the number of tiles.
 */
import { type CSSProperties, memo, useMemo } from 'react';
import { printMoney } from '../../ui/money.js';
import type { Catalogue } from '../core/catalogue.js';
import type { WireItem } from '../core/wire.js';
import classes from './grid.module.css';
import { Tile } from './tile.js';
import { useColumns } from './use-columns.js';

const HUES = 8;
/** Few rows, so that a group that is partly in sight adds little that is out of sight. */
const ROWS_PER_GROUP = 4;

/** The category decides the colour, so that a hand finds the drinks without reading. */
function huesOf({ categories }: Catalogue): ReadonlyMap<string | undefined, number> {
  return new Map(categories.map(({ id }, index) => [id, index % HUES]));
}

function priceOf({ variations }: WireItem): string {
  const amounts = variations.map(({ price_money }) => price_money.amount);
  const [first] = variations;
  if (!first) return '';
  if (first.variable_price && variations.length === 1) return 'Any price';
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
  const { ref, columns } = useColumns<HTMLDivElement>();
  return (
    <div className={classes['grid']} ref={ref}>
      {columns !== undefined &&
        groupsOf(items, columns * ROWS_PER_GROUP).map((group, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place, whatever is in it
            key={index}
            className={classes['rows']}
            style={{ '--rows': Math.ceil(group.length / columns) } as CSSProperties}
          >
            {group.map((item) => (
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
        ))}
    </div>
  );
});

function groupsOf<Each>(all: readonly Each[], size: number): readonly (readonly Each[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
