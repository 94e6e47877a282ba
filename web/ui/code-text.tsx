/** A long text in monospace: folded beyond 40 lines, with a button that copies all of it. */
import { ActionIcon, Button, Code, CopyButton, Tooltip } from '@mantine/core';
import { useState } from 'react';
import classes from './code-text.module.css';
import { IconCheck, IconCopy } from './icons.js';

const FOLDED_LINES = 40;

interface CodeTextProps {
  readonly text: string;
  /** Names the text for screen readers and in the tooltip of the copy button. */
  readonly label: string;
}

export function CodeText({ text, label }: CodeTextProps) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split('\n');
  const isFolded = lines.length > FOLDED_LINES && !isOpen;
  return (
    <div className={classes['frame']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={classes['scroll']} tabIndex={0} aria-label={label}>
        <Code block className={classes['code'] ?? ''}>
          {isFolded ? lines.slice(0, FOLDED_LINES).join('\n') : text}
        </Code>
      </section>
      {lines.length > FOLDED_LINES && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isFolded ? `Show all ${lines.length} lines` : 'Fold'}
        </Button>
      )}
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
            <ActionIcon
              className={classes['copy'] ?? ''}
              variant="default"
              size="md"
              onClick={copy}
              aria-label={`Copy ${label}`}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}
