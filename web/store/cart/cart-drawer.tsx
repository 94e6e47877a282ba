/** The cart beside the page: what is in it, and the way to the checkout. */
import { Button, CloseButton, Drawer, Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconShoppingCart } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { Empty } from '../../ui/states.js';
import { type Item, sumOf, useItems } from '../goods.js';
import { useCart } from './cart.js';
import { CartLines, usePricedLines } from './cart-lines.js';

export function CartDrawer({ onClose }: { readonly onClose: () => void }) {
  const items = useItems();
  return (
    <Drawer opened onClose={onClose} position="right" size={420} withCloseButton={false} padding="lg">
      <Group justify="space-between" mb="md">
        <Drawer.Title fz="1.25rem">Your cart</Drawer.Title>
        <CloseButton aria-label="Close the cart" onClick={onClose} />
      </Group>
      {useCart().lines.length === 0 ? (
        <Empty
          icon={IconShoppingCart}
          title="Your cart is empty"
          action={<Button onClick={onClose}>Browse the store</Button>}
        >
          What you choose appears here, and stays if you close the page.
        </Empty>
      ) : (
        <QueryView query={items}>{(found) => <Content items={found} onClose={onClose} />}</QueryView>
      )}
    </Drawer>
  );
}

function Content({ items, onClose }: { readonly items: readonly Item[]; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const { lines } = usePricedLines(items);
  const sum = sumOf(lines);
  return (
    <Stack gap="lg">
      <CartLines items={items} />
      {sum && (
        <>
          <Group justify="space-between">
            <Text fw={650}>Subtotal</Text>
            <Text fw={650}>{printMoney(sum)}</Text>
          </Group>
          <Button
            size="lg"
            onClick={() => {
              onClose();
              void navigate({ to: '/checkout' });
            }}
          >
            Check out
          </Button>
        </>
      )}
    </Stack>
  );
}
