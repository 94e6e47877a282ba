/** One webhook delivery: its attempts, its body, and sending it again. */
import { Button, Code, Grid, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { IconRefresh } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { useAct } from '../../ui/save.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { BackLink } from '../shell/shell.js';
import { DeliveryState } from './deliveries.js';

type Found = ResponseOf<typeof dashboard.retrieveWebhookDelivery>;
type Attempt = Found['attempts'][number];

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveWebhookDelivery', id],
    queryFn: () => call(dashboard.retrieveWebhookDelivery, { delivery_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {(found) => <Delivery found={found} />}
    </QueryView>
  );
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Delivery({ found: { delivery, attempts } }: { readonly found: Found }) {
  const act = useAct();
  const replay = () =>
    act(() => call(dashboard.replayWebhookDelivery, { delivery_id: delivery.id }), 'The event is sent again');
  return (
    <Frame
      title={delivery.event_type}
      above={<BackLink to="/dashboard/developers?tab=deliveries">Webhook deliveries</BackLink>}
      actions={
        <>
          <DeliveryState delivery={delivery} />
          <Button leftSection={<IconRefresh size={18} />} onClick={replay}>
            Send again
          </Button>
        </>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Card padded>
            <Facts
              facts={[
                { name: 'About', value: <CopyId id={delivery.entity_id} /> },
                { name: 'Event', value: <CopyId id={delivery.event_id} label="event id" /> },
                { name: 'Subscription', value: <CopyId id={delivery.subscription_id} label="subscription id" /> },
                { name: 'Recorded', value: <Moment at={delivery.created_at} /> },
                { name: 'Id', value: <CopyId id={delivery.id} /> },
                ...(delivery.next_attempt_at
                  ? [{ name: 'Next attempt', value: <Moment at={delivery.next_attempt_at} /> }]
                  : []),
              ]}
            />
            <Title order={2} size="h5" mt="lg" mb="sm">
              Body
            </Title>
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {indent(delivery.body)}
            </Code>
          </Card>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card padded>
            <Title order={2} size="h5" mb="md">
              Attempts
            </Title>
            {attempts.length === 0 ? (
              <Text c="dimmed">None yet.</Text>
            ) : (
              <Timeline bulletSize={12} lineWidth={2} active={attempts.length}>
                {attempts.map((attempt) => (
                  <AttemptItem key={attempt.number} attempt={attempt} />
                ))}
              </Timeline>
            )}
          </Card>
        </Grid.Col>
      </Grid>
    </Frame>
  );
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const { number, status_code, failure, started_at, duration_ms, answer } = attempt;
  return (
    <Timeline.Item title={`Attempt ${number}`}>
      <Tag tone={failure === undefined ? 'good' : 'bad'}>{status_code ?? failure ?? 'no response'}</Tag>
      <Text size="sm" c="dimmed" mt={4}>
        <Moment at={started_at} /> · {duration_ms} ms
      </Text>
      {answer !== '' && (
        <Code block mt={6} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {answer.slice(0, 500)}
        </Code>
      )}
    </Timeline.Item>
  );
}
