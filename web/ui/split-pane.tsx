/** Two panes side by side with a bar between them that is dragged, or moved by the arrow keys. On phones there is one at a time. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import classes from './split-pane.module.css';

const [MIN, MAX, STEP] = [25, 75, 5];

interface SplitPaneProps {
  /** The browser remembers the position of the bar by this name. */
  readonly name: string;
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** Which of the two a phone shows. */
  readonly onPhones: 'first' | 'second';
}

export function SplitPane({ name, first, second, onPhones }: SplitPaneProps) {
  const frame = useRef<HTMLDivElement>(null);
  const key = `tillhouse-split-${name}`;
  const [share, setShare] = useState(() => Number(localStorage.getItem(key)) || 42);
  const move = (to: number): void => {
    const next = Math.round(Math.min(MAX, Math.max(MIN, to)));
    setShare(next);
    localStorage.setItem(key, String(next));
  };
  const drag = (event: PointerEvent<HTMLHRElement>): void => {
    const box = frame.current?.getBoundingClientRect();
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    move(((event.clientX - box.left) / box.width) * 100);
  };
  const press = ({ key: pressed }: KeyboardEvent): void => {
    if (pressed === 'ArrowLeft') move(share - STEP);
    if (pressed === 'ArrowRight') move(share + STEP);
  };
  return (
    <div ref={frame} className={classes['frame']} style={{ gridTemplateColumns: `${share}% 12px minmax(0, 1fr)` }}>
      <div className={classes['pane']} data-hidden={onPhones !== 'first'}>
        {first}
      </div>
      <hr
        className={classes['bar']}
        tabIndex={0}
        aria-label="Width of the list"
        aria-orientation="vertical"
        aria-valuenow={share}
        aria-valuemin={MIN}
        aria-valuemax={MAX}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
      />
      <div className={classes['pane']} data-hidden={onPhones !== 'second'}>
        {second}
      </div>
    </div>
  );
}
