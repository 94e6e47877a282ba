/** The checkout: who gets the order and how, what it costs, and the payment. */
import { Anchor, Button, Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconLock, IconShoppingCart } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { printMoney } from '../../ui/money.js';
import { Notice } from '../../ui/notice.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { useCart } from '../cart/cart.js';
import { CartLines } from '../cart/cart-lines.js';
import { type StoreFacts, useItems, useStoreFacts } from '../goods.js';
import classes from './checkout.module.css';
import { DeliveryFields } from './delivery-fields.js';
import { type Outcome, pay, toAttempt } from './paying.js';
import { PaymentFields } from './payment-fields.js';
import { Summary, usePrice } from './summary.js';

export function Page() {
  const store = useStoreFacts();
  const cart = useCart();
  useEffect(() => {
    if (store.data) document.title = `Checkout - ${store.data.business_name}`;
  }, [store.data]);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Anchor component={Link} to="/" c="var(--accent-text)">
          Back to the store
        </Anchor>
        <Title order={1} size="1.75rem">
          Checkout
        </Title>
      </Stack>
      {cart.lines.length === 0 ? (
        <Card>
          <Empty
            icon={IconShoppingCart}
            title="Your cart is empty"
            action={
              <Button component={Link} to="/">
                Browse the store
              </Button>
            }
          >
            Choose something first. It stays in the cart until you have paid.
          </Empty>
        </Card>
      ) : (
        <QueryView query={store} loading={<LoadingBlock height={420} />}>
          {(found) => <Form store={found} />}
        </QueryView>
      )}
    </Stack>
  );
}

function Form({ store }: { readonly store: StoreFacts }) {
  const items = useItems();
  const cart = useCart();
  const price = usePrice();
  const navigate = useNavigate();
  const [sourceId, setSource] = useState(store.test_cards[0]?.source_id ?? '');
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  // A response was lost, perhaps before the page was reloaded. That order is finished first.
  const isOpen = cart.attempt !== undefined && !isBusy;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setOutcome(undefined);
    const result = await pay(toAttempt(cart, store, sourceId));
    setBusy(false);
    if (result.kind === 'paid') return navigate({ to: '/orders/$token', params: { token: result.token } });
    setOutcome(result);
  };
  useEffect(() => {
    if (outcome) notice.current?.scrollIntoView({ block: 'center' });
  }, [outcome]);
  return (
    <form onSubmit={submit} className={classes['columns']}>
      <fieldset className={classes['fields']} disabled={isOpen || isBusy}>
        <Stack gap="lg">
          <DeliveryFields store={store} />
          <PaymentFields store={store} sourceId={sourceId} onChange={setSource} />
        </Stack>
      </fieldset>
      <aside className={classes['side']} aria-label="Your order">
        <Card padded>
          <Stack gap="lg">
            <Title order={2} size="h4">
              Your order
            </Title>
            <fieldset className={classes['fields']} disabled={isOpen || isBusy}>
              <QueryView query={items}>{(found) => <CartLines items={found} />}</QueryView>
            </fieldset>
            <Summary isLocked={isOpen || isBusy} />
            <div ref={notice}>
              <OutcomeNotice outcome={outcome} isOpen={isOpen} />
            </div>
            <Button
              type="submit"
              size="lg"
              fullWidth
              loading={isBusy}
              disabled={sourceId === '' || (!isOpen && !price.data)}
              leftSection={<IconLock size={18} />}
            >
              {isOpen ? 'Try again' : `Pay${price.data ? ` ${printMoney(price.data.total_money)}` : ''}`}
            </Button>
          </Stack>
        </Card>
      </aside>
    </form>
  );
}

/** The outcome of the last attempt, in words. */
function OutcomeNotice({ outcome, isOpen }: { readonly outcome: Outcome | undefined; readonly isOpen: boolean }) {
  if (isOpen) {
    return (
      <div role="alert">
        <Notice tone="warning" title="Your payment is not confirmed yet">
          {outcome?.kind === 'unknown' && outcome.problem.status === 429
            ? 'There were too many attempts. Wait a minute, then try again.'
            : 'The connection was lost while you paid. Try again: the same order is checked, and your card is charged only once.'}
        </Notice>
      </div>
    );
  }
  if (outcome?.kind === 'declined') {
    return (
      <div role="alert">
        <Notice tone="danger" title="The card was declined">
          {outcome.words} Nothing was charged. Your cart and what you typed are still here: choose another card and pay
          again.
        </Notice>
      </div>
    );
  }
  return outcome?.kind === 'refused' ? <ProblemAlert problem={outcome.problem} /> : null;
}
