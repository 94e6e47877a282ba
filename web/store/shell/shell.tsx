/** The frame around every page of the store: whose store it is, and the cart. */
import { Button } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { printAddressWithCountry } from '../../../src/base/postal-address.js';
import { IconShoppingCart } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { countPieces, useCart } from '../cart/cart.js';
import { CartDrawer } from '../cart/cart-drawer.js';
import { type StoreFacts, useStoreFacts } from '../goods.js';
import classes from './shell.module.css';

export function Shell() {
  const { data: store } = useStoreFacts();
  const [isCartOpen, setCartOpen] = useState(false);
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <div className={classes['shell']}>
        <header className={classes['top']}>
          <div className={classes['bar']}>
            <Link to="/" className={classes['brand'] ?? ''}>
              {store && <Brand store={store} />}
            </Link>
            <CartButton onClick={() => setCartOpen(true)} />
          </div>
        </header>
        <main id="content" className={classes['content']} tabIndex={-1}>
          <Outlet />
        </main>
        {store && <Foot store={store} />}
      </div>
      {isCartOpen && <CartDrawer onClose={() => setCartOpen(false)} />}
    </>
  );
}

function Brand({ store }: { readonly store: StoreFacts }) {
  const { business_name: name, location_name: location, logo_url } = store;
  return (
    <>
      {logo_url === undefined ? (
        <span className={classes['letter']} aria-hidden>
          {name.slice(0, 1)}
        </span>
      ) : (
        <img className={classes['logo']} src={logo_url} alt="" />
      )}
      <span className={classes['names']}>
        <span className={classes['business']}>{name}</span>
        {location !== name && <span>{location}</span>}
      </span>
    </>
  );
}

function CartButton({ onClick }: { readonly onClick: () => void }) {
  const count = countPieces(useCart().lines);
  const words = count === 0 ? 'Cart, empty' : `Cart, ${count} ${count === 1 ? 'piece' : 'pieces'}`;
  return (
    <Button
      size="md"
      variant={count === 0 ? 'default' : 'filled'}
      leftSection={<IconShoppingCart size={20} />}
      aria-label={words}
      style={{ flex: 'none' }}
      onClick={onClick}
    >
      {count === 0 ? 'Cart' : `Cart · ${count}`}
    </Button>
  );
}

function Foot({ store }: { readonly store: StoreFacts }) {
  const { address, phone_number: phone } = store;
  return (
    <footer className={classes['foot']}>
      <div>
        <span>{store.business_name}</span>
        {address && <span>{printAddressWithCountry(address).join(', ')}</span>}
        {phone !== undefined && <span>{phone}</span>}
        {store.test_cards.length > 0 && <span>Sandbox: no money moves.</span>}
      </div>
    </footer>
  );
}
