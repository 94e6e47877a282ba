/** Personal data of a buyer: what is stored, as a file to hand over, and its erasure (decision 0193). */
import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { cardName } from '../../../src/business/tenders/words.js';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { asProblem, type Problem } from '../../client/problem.js';
import { downloadJson } from '../../ui/download.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconDownload, IconSearch, IconTrash, IconUser } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { Page as Frame } from '../../ui/page.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { EraseModal } from './erase-modal.js';
import { RecordTable } from './record-table.js';

export type BuyerData = ResponseOf<typeof dashboard.exportBuyer>;

interface Found {
  readonly email: string;
  readonly data: BuyerData;
}

/** What is left after an erasure. */
const NOTHING: BuyerData = { orders: [], payments: [], refunds: [] };

/** Each search is in the audit log, so the page never repeats one by itself. */
export function Page() {
  const [email, setEmail] = useState('');
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const search = async (wanted: string): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      setFound({ email: wanted, data: await call(dashboard.exportBuyer, { email: wanted }) });
    } catch (error) {
      setFound(undefined);
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void search(email.trim());
  };
  return (
    <Frame
      title="Personal data"
      description="What is stored about a buyer. Download or erase it when the buyer asks. The audit log records both."
    >
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-end">
          <TextInput
            style={{ flex: '1 1 220px', maxWidth: 420 }}
            inputMode="email"
            label="Email address of the buyer"
            autoComplete="off"
            required
            withAsterisk={false}
            maxLength={255}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Button type="submit" leftSection={<IconSearch size={18} />} loading={isBusy}>
            Search
          </Button>
        </Group>
      </form>
      {problem && <ProblemAlert problem={problem} />}
      {isBusy && !found && <LoadingBlock height={280} />}
      {found && (
        <Result key={found.email} found={found} onErased={() => setFound({ email: found.email, data: NOTHING })} />
      )}
      {!found && !isBusy && !problem && (
        <Card>
          <Empty icon={IconUser} title="No search yet">
            Buyers leave an email address with an online order, or with a payment of an application. Type the address of
            the buyer who asks.
          </Empty>
        </Card>
      )}
    </Frame>
  );
}

interface ResultProps {
  readonly found: Found;
  readonly onErased: () => void;
}

function Result({ found: { email, data }, onErased }: ResultProps) {
  const [isErasing, setErasing] = useState(false);
  const { orders, payments, refunds } = data;
  if (orders.length + payments.length === 0) {
    return (
      <Card>
        <Empty icon={IconUser} title="Nothing is stored">
          No order and no payment has the address {email}.
        </Empty>
      </Card>
    );
  }
  return (
    <Stack gap="lg" data-state="full">
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Title>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload size={18} />}
            onClick={() => downloadJson('personal-data', { email, ...data })}
          >
            Download as JSON
          </Button>
          <Button color="red.9" leftSection={<IconTrash size={18} />} onClick={() => setErasing(true)}>
            Erase
          </Button>
        </Group>
      </Group>
      <SimpleGrid cols={3} spacing="sm">
        <Count name="Orders" count={orders.length} />
        <Count name="Payments" count={payments.length} />
        <Count name="Refunds" count={refunds.length} />
      </SimpleGrid>
      <RecordTable
        name="Orders"
        headers={['Placed', 'Name and address', 'Total']}
        rows={orders.toReversed().map((order) => [
          <TextLink key="at" to={`/dashboard/orders/${order.id}`}>
            <Moment at={order.created_at} style="date" />
          </TextLink>,
          nameAndAddress(order),
          printMoney(order.total_money),
        ])}
      />
      <RecordTable
        name="Payments"
        headers={['Made', 'Card', 'Total']}
        rows={payments.toReversed().map((payment) => [
          <TextLink key="at" to="/dashboard/sales" search={{ q: payment.id }}>
            <Moment at={payment.created_at} style="date" />
          </TextLink>,
          cardName({ card_brand: payment.card_details?.card?.card_brand, last_4: payment.card_details?.card?.last_4 }),
          printMoney(payment.total_money),
        ])}
      />
      <RecordTable
        name="Refunds"
        headers={['Made', 'Reason', 'Amount']}
        rows={refunds.toReversed().map((refund) => [
          <TextLink key="at" to="/dashboard/sales" search={{ q: refund.payment_id }}>
            <Moment at={refund.created_at} style="date" />
          </TextLink>,
          refund.reason ?? '',
          printMoney(refund.amount_money),
        ])}
      />
      {isErasing && (
        <EraseModal
          email={email}
          orders={orders.length}
          payments={payments.length}
          onClose={() => setErasing(false)}
          onErased={onErased}
        />
      )}
    </Stack>
  );
}

function Count({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <Card>
      <Stack gap={0} p="md">
        <Text c="dimmed" size="sm">
          {name}
        </Text>
        <Text fw={650} size="xl">
          {count}
        </Text>
      </Stack>
    </Card>
  );
}

function nameAndAddress({ recipient_name, shipping_address }: BuyerData['orders'][number]): string {
  const { address_line_1, locality } = shipping_address ?? {};
  return [recipient_name, address_line_1, locality].filter((part) => part !== undefined && part !== '').join(', ');
}
