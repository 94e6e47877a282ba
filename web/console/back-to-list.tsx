/** Leads from a detail back to its list. Shown on narrow screens only: wide ones show both. */
import { Button } from '@mantine/core';
import { IconArrowLeft } from '../ui/icons.js';
import classes from './requests/requests.module.css';

export function BackToList({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button
      className={classes['back'] ?? ''}
      variant="subtle"
      size="compact-sm"
      w="fit-content"
      leftSection={<IconArrowLeft size={16} />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
