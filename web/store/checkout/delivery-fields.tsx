/** Who gets the order, and how: it is sent, or picked up at the location. */
import { Radio, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { printAddressWithCountry } from '../../../src/base/postal-address.js';
import { printMoney } from '../../ui/money.js';
import { Card } from '../../ui/states.js';
import { changeCart, type Details, readCart, useCart } from '../cart/cart.js';
import type { StoreFacts } from '../goods.js';
import classes from './checkout.module.css';

function change(details: Partial<Details>): void {
  changeCart({ details: { ...readCart().details, ...details } });
}

export function DeliveryFields({ store }: { readonly store: StoreFacts }) {
  const { details } = useCart();
  const field = (name: keyof Details) => ({
    value: details[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      change({ [name]: currentTarget.value }),
  });
  return (
    <>
      <Card padded>
        <Stack gap="md">
          <Title order={2} size="h4">
            Contact
          </Title>
          <TextInput label="Name" required autoComplete="name" maxLength={255} {...field('name')} />
          <div className={classes['pair']}>
            <TextInput label="Email" required type="email" autoComplete="email" maxLength={255} {...field('email')} />
            <TextInput label="Phone (optional)" type="tel" autoComplete="tel" maxLength={32} {...field('phone')} />
          </div>
        </Stack>
      </Card>
      <Card padded>
        <Stack gap="md">
          <Title order={2} size="h4">
            Delivery
          </Title>
          {store.offers_pickup && <Ways store={store} chosen={details.fulfillment} />}
          {details.fulfillment === 'SHIPMENT' && (
            <>
              <TextInput
                label="Street and number"
                required
                autoComplete="address-line1"
                maxLength={255}
                {...field('street')}
              />
              <div className={classes['pair']}>
                <TextInput
                  label="Postal code"
                  required
                  autoComplete="postal-code"
                  maxLength={20}
                  {...field('postalCode')}
                />
                <TextInput label="City" required autoComplete="address-level2" maxLength={255} {...field('town')} />
              </div>
              <TextInput
                label="State or region (optional)"
                autoComplete="address-level1"
                maxLength={255}
                {...field('region')}
              />
            </>
          )}
          <Textarea label="Note for the store (optional)" autosize minRows={2} maxLength={1000} {...field('note')} />
        </Stack>
      </Card>
    </>
  );
}

function Ways({ store, chosen }: { readonly store: StoreFacts; readonly chosen: Details['fulfillment'] }) {
  const cost = store.shipping_money.amount === 0 ? 'free' : printMoney(store.shipping_money);
  return (
    <Radio.Group
      label="How you get it"
      value={chosen}
      onChange={(way) => change({ fulfillment: way === 'PICKUP' ? 'PICKUP' : 'SHIPMENT' })}
    >
      <div className={classes['choices']}>
        <Radio className={classes['choice'] ?? ''} value="SHIPMENT" label={`Ship it, ${cost}`} mt="xs" />
        <Radio
          className={classes['choice'] ?? ''}
          value="PICKUP"
          label={
            <>
              Pick it up, free
              <Text size="sm" c="dimmed">
                {[store.location_name, ...printAddressWithCountry(store.address ?? {})].join(', ')}
              </Text>
            </>
          }
        />
      </div>
    </Radio.Group>
  );
}
