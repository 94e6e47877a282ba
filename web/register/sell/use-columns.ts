/** How many columns the style of a grid gives it at its current width. */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

interface Columns<Element> {
  readonly ref: RefObject<Element | null>;
  /** Undefined until the grid is in the page, which is before the first paint. */
  readonly columns: number | undefined;
}

export function useColumns<Element extends HTMLElement>(): Columns<Element> {
  const ref = useRef<Element>(null);
  const [columns, setColumns] = useState<number>();
  useLayoutEffect(() => {
    const grid = ref.current;
    if (!grid) return;
    const count = (): void => setColumns(getComputedStyle(grid).gridTemplateColumns.split(' ').length);
    count();
    const observer = new ResizeObserver(count);
    observer.observe(grid);
    return () => observer.disconnect();
  }, []);
  return { ref, columns };
}
