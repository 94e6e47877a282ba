/** One delivery: its attempts with the receiver's responses, its body, and the check of a signature. */
import { Button, Code, Group, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import type { ResponseOf } from '../../client/operations.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useChangeAddress } from '../../ui/address.js';
import { CodeText } from '../../ui/code-text.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { IconRefresh } from '../../ui/icons.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct } from '../../ui/save.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { BackToList } from '../back-to-list.js';
import classes from '../requests/requests.module.css';
import { DeliveryState } from './delivery-state.js';
import { SignatureCheck } from './signature-check.js';

type Found = ResponseOf<typeof sandbox.retrieveWebhookDelivery>;

interface DeliveryDetailProps {
  readonly merchantId: string;
  readonly deliveryId: string;
}

export function DeliveryDetail({ merchantId, deliveryId }: DeliveryDetailProps) {
  const ids = { merchant_id: merchantId, delivery_id: deliveryId };
  const query = useQuery({
    queryKey: ['retrieveWebhookDelivery', merchantId, deliveryId],
    queryFn: () => call(sandbox.retrieveWebhookDelivery, ids),
  });
  const act = useAct();
  const change = useChangeAddress();
  return (
    <Card>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section className={classes['detail']} tabIndex={0} aria-label="Delivery">
        <QueryView query={query} loading={<LoadingBlock height={420} />}>
          {({ delivery, attempts }) => (
            <Stack gap="lg" p="lg">
              <Stack gap="sm">
                <BackToList label="All deliveries" onClick={() => change({ delivery: undefined })} />
                <Group gap="sm">
                  <DeliveryState state={delivery.state} />
                  <Title order={2} size="1.125rem">
                    {delivery.event_type}
                  </Title>
                </Group>
                <Group gap="xs">
                  <Button
                    size="xs"
                    leftSection={<IconRefresh size={16} />}
                    onClick={() => act(() => call(sandbox.replayWebhookDelivery, ids), 'The event is sent again')}
                  >
                    Send again
                  </Button>
                </Group>
              </Stack>
              <Attempts attempts={attempts} />
              <SignatureCheck merchantId={merchantId} deliveryId={deliveryId} />
              <Facts
                facts={[
                  {
                    name: 'About',
                    value: (
                      <TextLink to="/console" search={{ text: delivery.entity_id }}>
                        {delivery.entity_id}
                      </TextLink>
                    ),
                  },
                  { name: 'Recorded', value: <Moment at={delivery.created_at} style="long" /> },
                  ...(delivery.next_attempt_at
                    ? [{ name: 'Next attempt', value: <Moment at={delivery.next_attempt_at} style="long" /> }]
                    : []),
                  ...(delivery.fault === undefined ? [] : [{ name: 'Injected fault', value: delivery.fault }]),
                  { name: 'Event', value: <CopyId id={delivery.event_id} label="event id" /> },
                  { name: 'Subscription', value: <CopyId id={delivery.subscription_id} label="subscription id" /> },
                ]}
              />
              <Stack gap="xs">
                <Title order={3} size="h5">
                  Body
                </Title>
                <CodeText text={indent(delivery.body)} label="body" />
              </Stack>
            </Stack>
          )}
        </QueryView>
      </section>
    </Card>
  );
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Attempts({ attempts }: { readonly attempts: Found['attempts'] }) {
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        Attempts
      </Title>
      {attempts.length === 0 ? (
        <Text c="dimmed">None yet.</Text>
      ) : (
        <Timeline bulletSize={12} lineWidth={2} active={attempts.length}>
          {attempts.map(({ number, status_code, failure, started_at, duration_ms, answer }) => (
            <Timeline.Item key={number} title={`Attempt ${number}`}>
              <Group gap="sm">
                <Tag tone={failure === undefined ? 'good' : 'bad'}>{status_code ?? failure ?? 'no response'}</Tag>
                <Text span size="sm" c="dimmed">
                  <Moment at={started_at} /> · {duration_ms} ms
                </Text>
              </Group>
              {answer !== '' && (
                <Code block mt={6} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {answer}
                </Code>
              )}
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </Stack>
  );
}
