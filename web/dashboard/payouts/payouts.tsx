/** Payouts: what is owed, settlements to the bank, disputes, and the accounts that are paid. */

import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { SETTLEMENT_MONEY } from '../../../src/business/figures/settlement.js';
import { usePagedList, useWholeList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconBuildingBank, IconPlus } from '../../ui/icons.js';
import { moneyColumn } from '../../ui/money-column.js';
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { Card, Empty, Failed, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { ChoiceFilter, LocationFilter } from '../filters.js';
import { BalancePart } from './balance.js';
import { type BankAccount, InForceModal, LinkAccountModal } from './bank-account-modals.js';
import { Disputes } from './disputes.js';
import { type Settlement, SettlementState } from './settlement.js';

const DESCRIPTION =
  'Each location closes its day at 17:00 local time. What it earned until then goes to the bank account in use.';

const TABS = [
  { name: 'settlements', label: 'Settlements', content: Settlements },
  { name: 'disputes', label: 'Disputes', content: Disputes },
] as const;

export function Page() {
  return (
    <Frame title="Payouts" description={DESCRIPTION}>
      <BalancePart />
      <BankAccounts />
      <PageTabs tabs={TABS} />
    </Frame>
  );
}

function BankAccounts() {
  const list = useWholeList(dashboard.listBankAccounts, {}, ({ bank_accounts }) => bank_accounts);
  const [isLinking, setLinking] = useState(false);
  const [chosen, setChosen] = useState<BankAccount>();
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Bank accounts
        </Title>
        <Button variant="default" size="xs" leftSection={<IconPlus size={16} />} onClick={() => setLinking(true)}>
          Link an account
        </Button>
      </Group>
      {list.rows === undefined && list.error ? (
        <Card>
          <Failed error={list.error} onRetry={() => list.refetch()} />
        </Card>
      ) : list.rows === undefined ? (
        <LoadingBlock height={96} />
      ) : list.rows.length === 0 ? (
        <Card>
          <Empty icon={IconBuildingBank} title="No bank account yet">
            Link one to be paid out. Until then, what you earn waits and is never lost.
          </Empty>
        </Card>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {list.rows.map((account) => (
            <Account key={account.id} account={account} onChoose={() => setChosen(account)} />
          ))}
        </SimpleGrid>
      )}
      {isLinking && <LinkAccountModal onClose={() => setLinking(false)} />}
      {chosen && <InForceModal account={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}

function Account({ account, onChoose }: { readonly account: BankAccount; readonly onChoose: () => void }) {
  return (
    <Card padded>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={2} miw={0}>
          <Text fw={600} truncate>
            {account.bank_name}
          </Text>
          <Text c="dimmed" size="sm">
            {account.name} · ending {account.account_number_suffix}
          </Text>
        </Stack>
        {account.in_force ? (
          <Tag tone="good">In use</Tag>
        ) : (
          <Button size="compact-sm" variant="default" onClick={onChoose}>
            Use
          </Button>
        )}
      </Group>
    </Card>
  );
}

const FAILED_NOTE = 'paid again with the next one';

function useColumns(): Column<Settlement>[] {
  const { timezoneOf, locationName } = useBusiness();
  return [
    {
      key: 'initiated',
      header: 'Initiated',
      cell: ({ initiated_at, location_id }) => <Moment at={initiated_at} timezone={timezoneOf(location_id)} />,
      value: ({ initiated_at }) => initiated_at,
    },
    {
      key: 'location',
      header: 'Location',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
      wide: true,
    },
    {
      key: 'state',
      header: 'State',
      cell: (settlement) => (
        <>
          <SettlementState settlement={settlement} />
          {settlement.failed_at && (
            <Text size="sm" c="dimmed">
              {FAILED_NOTE}
            </Text>
          )}
        </>
      ),
      value: ({ status }) => status,
    },
    moneyColumn({ key: 'total', header: SETTLEMENT_MONEY.net.label, of: ({ total_money }) => total_money }),
  ];
}

function Settlements() {
  const [[location], [status]] = [useAddress('location'), useAddress('status')];
  const list = usePagedList(
    dashboard.listSettlements,
    { location_id: location, status: status as Settlement['status'] | undefined },
    (page) => page.settlements,
  );
  return (
    <DataTable
      name="Settlements"
      list={list}
      columns={useColumns()}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/dashboard/payouts/${id}`}
      filters={
        <>
          <LocationFilter />
          <ChoiceFilter
            name="status"
            label="State"
            options={[
              { value: 'SENT', label: 'Sent' },
              { value: 'FAILED', label: 'Failed' },
            ]}
          />
        </>
      }
      empty={
        <Empty icon={IconBuildingBank} title="No settlements">
          The first one is sent after the first day with card sales, to the bank account in use.
        </Empty>
      }
    />
  );
}
