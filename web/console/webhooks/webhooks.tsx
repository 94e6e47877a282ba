/** Events and their deliveries as they happen: the list on the left, one delivery with every attempt on the right. */
import { Button, Group, Select, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import type { ResponseOf } from '../../client/operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { type Search, useAddress } from '../../ui/address.js';
import { IconBolt, IconBuildingStore, IconPlayerPlay, IconWebhook } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Page as Frame } from '../../ui/page.js';
import { useAct } from '../../ui/save.js';
import { SplitPane } from '../../ui/split-pane.js';
import { Card, Empty, Failed, LoadingRows } from '../../ui/states.js';
import { MerchantSelect } from '../merchant-select.js';
import { useChosenMerchant, useMerchants } from '../merchants.js';
import { ClockTime } from '../requests/clock-time.js';
import classes from '../requests/requests.module.css';
import { DeliveryDetail } from './delivery-detail.js';
import { DELIVERY_STATES, DeliveryState } from './delivery-state.js';
import { type ListedSubscription, Subscriptions, useSubscriptions } from './subscriptions.js';
import { TriggerModal } from './trigger-modal.js';

type Delivery = ResponseOf<typeof sandbox.listWebhookDeliveries>['deliveries'][number];

export function Page() {
  const merchants = useMerchants();
  const merchantId = useChosenMerchant();
  return (
    <Frame
      title="Webhooks"
      description="Events about a merchant, every attempt to deliver them, and the receiver's responses."
      actions={
        merchantId !== undefined && (
          <>
            <TriggerButton merchantId={merchantId} />
            <HurryButton merchantId={merchantId} />
          </>
        )
      }
    >
      {merchantId !== undefined ? (
        <Webhooks key={merchantId} merchantId={merchantId} />
      ) : (
        <Card>
          {merchants.error ? (
            <Failed error={merchants.error} onRetry={() => merchants.refetch()} />
          ) : merchants.data ? (
            <Empty icon={IconBuildingStore} title="No merchant yet">
              Make a merchant first: events are about what happens to it.
            </Empty>
          ) : (
            <LoadingRows />
          )}
        </Card>
      )}
    </Frame>
  );
}

function HurryButton({ merchantId }: { readonly merchantId: string }) {
  const act = useAct();
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlayerPlay size={16} />}
      onClick={() =>
        act(() => call(sandbox.hurryWebhookDeliveries, { merchant_id: merchantId }), 'Waiting deliveries are sent now')
      }
    >
      Send waiting deliveries
    </Button>
  );
}

function TriggerButton({ merchantId }: { readonly merchantId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconBolt size={16} />} onClick={() => setOpen(true)}>
        Trigger an event
      </Button>
      {isOpen && <TriggerModal merchantId={merchantId} onClose={() => setOpen(false)} />}
    </>
  );
}

function Webhooks({ merchantId }: { readonly merchantId: string }) {
  const { state, delivery } = useSearch({ strict: false }) as Search;
  const list = usePagedList(
    sandbox.listWebhookDeliveries,
    { merchant_id: merchantId, state: state as Delivery['state'] | undefined },
    ({ deliveries }) => deliveries,
  );
  const { rows } = list;
  const { data: receivers } = useSubscriptions(merchantId);
  const left = (
    <Card>
      <Filters />
      {rows === undefined && list.error ? (
        <Failed error={list.error} onRetry={() => list.refetch()} />
      ) : rows === undefined ? (
        <LoadingRows rows={8} />
      ) : rows.length === 0 ? (
        <Empty icon={IconWebhook} title="No deliveries">
          Each event that an application subscribed to appears here, with every attempt to deliver it. Use the built-in
          receiver if you have none yet.
        </Empty>
      ) : (
        <div className={classes['scroll']} data-state="full">
          <Rows rows={rows} chosen={delivery} receivers={receivers} />
          {list.hasMore && (
            <Group justify="center" p="sm">
              <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={() => list.loadMore()}>
                Show older ones
              </Button>
            </Group>
          )}
        </div>
      )}
    </Card>
  );
  const shown = delivery ?? rows?.[0]?.id;
  return (
    <>
      <Subscriptions merchantId={merchantId} />
      <SplitPane
        name="webhooks"
        onPhones={delivery === undefined ? 'first' : 'second'}
        first={left}
        second={
          shown === undefined ? (
            <Card>
              <Empty icon={IconWebhook} title="No delivery is chosen">
                Choose one on the left to see its body, its signature and the receiver's responses.
              </Empty>
            </Card>
          ) : (
            <DeliveryDetail key={shown} merchantId={merchantId} deliveryId={shown} />
          )
        }
      />
    </>
  );
}

/** Where a message went, without the protocol. */
function shorten(url: string | undefined): string {
  return url === undefined ? 'The receiver was deleted' : url.replace(/^https?:\/\//, '');
}

function Filters() {
  const [state, setState] = useAddress('state');
  return (
    <Group gap="xs" p="sm" className={classes['filters'] ?? ''}>
      <MerchantSelect />
      <Select
        size="xs"
        style={{ flex: '1 1 110px', maxWidth: 170 }}
        placeholder="Any state"
        aria-label="State"
        data={Object.entries(DELIVERY_STATES).map(([value, { label }]) => ({ value, label }))}
        value={state ?? null}
        onChange={(chosen) => setState(chosen ?? undefined)}
        clearable
      />
    </Group>
  );
}

interface RowsProps {
  readonly rows: readonly Delivery[];
  readonly chosen: string | undefined;
  readonly receivers: readonly ListedSubscription[] | undefined;
}

function Rows({ rows, chosen, receivers }: RowsProps) {
  const urls = new Map(receivers?.map(({ id, notification_url }) => [id, notification_url]));
  return (
    <ul className={classes['rows']} aria-label="Deliveries">
      {rows.map((row) => (
        <li key={row.id}>
          <Link
            to="."
            search={(before: Search) => ({ ...before, delivery: row.id })}
            className={`${classes['row']} ${classes['delivery']}`}
            aria-current={row.id === chosen}
            resetScroll={false}
          >
            <span className={classes['state']}>
              <DeliveryState state={row.state} />
            </span>
            <span className={classes['what']}>
              <Text span inherit fw={600} truncate>
                {row.event_type}
              </Text>
              <Text span size="xs" c="dimmed" truncate title={urls.get(row.subscription_id)}>
                {receivers ? shorten(urls.get(row.subscription_id)) : row.entity_id}
              </Text>
            </span>
            <span className={classes['when']}>
              <ClockTime at={row.created_at} />
              <Text span size="xs" c="dimmed">
                {row.attempt_count} {row.attempt_count === 1 ? 'attempt' : 'attempts'}
              </Text>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
