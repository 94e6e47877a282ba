/** The cart on phones: a sheet over the shelf. It closes when the cart is empty, for example because the sale was parked. */
import { Drawer } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useStore } from '../../client/store.js';
import { isEmpty } from '../core/cart.js';
import { cart } from '../core/current-cart.js';
import classes from './sell.module.css';

interface CartSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function CartSheet({ isOpen, onClose, children }: CartSheetProps) {
  const hasNothing = isEmpty(useStore(cart));
  useEffect(() => {
    if (hasNothing) onClose();
  }, [hasNothing, onClose]);
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="bottom" size="calc(100dvh - 40px)">
      <Drawer.Overlay />
      <Drawer.Content radius={20} aria-label="Cart">
        <Drawer.Body className={classes['sheet'] ?? ''}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
