/** Prints a strip of paper of 80 mm: what is on the screen stays where it is. */
import { Portal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { createStore, useStore } from '../../client/store.js';
import classes from './print.module.css';

interface Printed {
  readonly content: ReactNode;
}

const paper = createStore<Printed | undefined>(undefined);

/** Opens the browser's print dialog. */
export function printPaper(content: ReactNode): void {
  paper.set({ content });
}

/** Is rendered once. */
export function Paper() {
  const printed = useStore(paper);
  if (!printed) return null;
  return (
    <Portal reuseTargetNode={false}>
      <Strip printed={printed} />
    </Portal>
  );
}

/** Visible only on paper. A portal renders after its parent, so the strip itself opens the print dialog. */
function Strip({ printed }: { readonly printed: Printed }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same strip can be printed again
  useEffect(() => {
    window.print();
  }, [printed]);
  return (
    <div className={classes['paper']} aria-hidden>
      {printed.content}
    </div>
  );
}
