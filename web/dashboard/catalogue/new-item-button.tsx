/** The button that opens a new item of the catalogue. */
import { Button } from '@mantine/core';
import { IconPlus } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';

export function NewItemButton({ label = 'New item' }: { readonly label?: string }) {
  return (
    <Button component={Link} to="/dashboard/catalogue/items/new" leftSection={<IconPlus size={18} />}>
      {label}
    </Button>
  );
}
