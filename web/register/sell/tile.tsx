/** One item of the grid. It is drawn again only if the item itself changes, so that a tap is answered at once. */
import { memo } from 'react';
import classes from './tile.module.css';

interface TileProps {
  readonly id: string;
  readonly name: string;
  /** `4.50`, or `from 4.50`. */
  readonly price: string;
  /** Which of the colours its category has. */
  readonly hue: number;
  readonly picture?: string | undefined;
  readonly onPick: (id: string) => void;
}

export const Tile = memo(function Tile({ id, name, price, hue, picture, onPick }: TileProps) {
  return (
    <button
      type="button"
      className={classes['tile']}
      data-hue={hue}
      data-picture={picture !== undefined || undefined}
      onClick={() => onPick(id)}
    >
      {picture !== undefined && <img className={classes['picture']} src={picture} alt="" loading="lazy" />}
      <span className={classes['name']}>{name}</span>
      <span className={classes['price']}>{price}</span>
    </button>
  );
});
