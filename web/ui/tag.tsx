/** A state as a word with an icon on a soft colour: never the colour alone. */
import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconAlertTriangle, IconCircle, IconCircleCheck, IconCircleX } from './icons.js';
import classes from './tag.module.css';

export type Tone = 'good' | 'bad' | 'warning' | 'quiet';

const ICONS = { good: IconCircleCheck, bad: IconCircleX, warning: IconAlertTriangle, quiet: IconCircle };

export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <Box component="span" className={classes['tag'] ?? ''} data-tone={tone}>
      <Icon size={14} stroke={2} aria-hidden />
      {children}
    </Box>
  );
}
