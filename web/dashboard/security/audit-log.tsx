/** The log of security events, newest first. */
import { Stack, Text, Title } from '@mantine/core';
import type { AuditKind } from '../../../src/identity/audit.js';
import { usePagedList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconShieldLock } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { usePeople } from '../business.js';
import { ChoiceFilter } from '../filters.js';

type AuditEvent = ResponseOf<typeof dashboard.listAuditEvents>['audit_events'][number];

const KINDS: Readonly<Record<AuditKind, string>> = {
  ACCESS_REFUSED: 'Access refused',
  ACCOUNT_KEY_REPLACED: 'Account key of the servers replaced',
  ADJUSTMENT_CREATED: 'Adjustment made',
  APPLICATION_REGISTERED: 'Application registered',
  APPLICATION_SECRET_ROTATED: 'Secret of an application replaced',
  APPROVAL_GIVEN: 'Approval given at a register',
  AUTHORIZATION_GRANTED: 'Application authorized',
  AUTHORIZATION_REVOKED: 'Authorization revoked',
  BACKUP_MADE: 'Backup made',
  BACKUP_RESTORED: 'Backup restored',
  BANK_ACCOUNT_LINKED: 'Bank account linked',
  BANK_ACCOUNT_PUT_IN_FORCE: 'Bank account chosen for payouts',
  BUSINESS_CHANGED: 'Business profile changed',
  BUYER_ERASED: 'Personal data of a buyer erased',
  BUYER_EXPORTED: 'Personal data of a buyer exported',
  CLOCK_CHANGED: 'Clock of the sandbox changed',
  DEVICE_PAIRED: 'Device paired',
  DEVICE_RENAMED: 'Device renamed',
  DEVICE_SETTINGS_CHANGED: 'Settings of a register changed',
  DEVICE_UNPAIRED: 'Device unpaired',
  DISCOUNT_APPROVED: 'Restricted discount approved',
  EMPLOYEE_SIGNED_IN: 'Employee signed in',
  EMPLOYEE_SIGN_IN_FAILED: 'Employee sign-in failed',
  FINDING_ACKNOWLEDGED: 'Finding of a check explained',
  HOLD_PLACED: 'Dispute opened by the operator',
  HOLD_RELEASED: 'Dispute ended by the operator',
  ITEM_CHANGED_AT_REGISTER: 'Item changed at a register',
  LOCATION_CHANGED: 'Location changed',
  LOCATION_CREATED: 'Location created',
  MERCHANT_APPROVAL_REMOVED: 'Approval for employee management removed',
  MERCHANT_APPROVED: 'Approved for employee management',
  MERCHANT_CREATED: 'Business created',
  MERCHANT_RESET: 'Business put back to its snapshot',
  MODE_CHANGED: 'Mode of the database changed',
  MODE_RECORDED: 'Mode of the database recorded',
  OWNER_SIGNED_IN: 'Owner signed in',
  OWNER_SIGNED_OUT: 'Owner signed out',
  PAID_OUT_OFFLINE: 'Paid out at an offline register',
  OWNER_SIGN_IN_FAILED: 'Owner sign-in failed',
  PASSCODE_SET: 'Passcode set',
  PASSWORD_CHANGED: 'Password changed',
  PASSWORD_CONFIRMED: 'Password confirmed',
  PASSWORD_RESET: 'Password reset by the operator',
  PROCESSOR_CHOSEN: 'Card processor chosen by the operator',
  PROCESSOR_CLEARED: 'Card processor set back to that of the server',
  PROCESSOR_MOVED: 'Card processor moved to another address',
  PROCESSOR_SECRET_REPLACED: 'Secret of a card processor replaced',
  PROCESSOR_SECRET_ROTATED: 'Secret of the card processor encrypted with another key',
  PUBLISHABLE_KEY_CREATED: 'Publishable key created',
  PUBLISHABLE_KEY_REVOKED: 'Publishable key revoked',
  REFUND_CREATED: 'Refund made',
  REGISTER_SETTINGS_CHANGED: 'Register settings changed',
  SALES_ARCHIVED: 'Old sales moved to the archive by the operator',
  SESSIONS_ENDED: 'Sessions ended',
  SETTLEMENT_FAILED: 'Settlement failed by the operator',
  SNAPSHOT_TAKEN: 'Snapshot taken',
  STORE_CHANGED: 'Online store changed',
  TOKEN_CREATED: 'Token created',
  TOKEN_REVOKED: 'Token revoked',
  WEBHOOK_ADDRESS_SET: 'Webhook address set',
  WEBHOOK_KEY_ROTATED: 'Webhook key replaced',
  WEBHOOK_RESENT: 'Webhook sent again',
  WEBHOOK_SUBSCRIPTION_CHANGED: 'Webhook subscription changed',
  WEBHOOK_SUBSCRIPTION_CREATED: 'Webhook subscription created',
  WEBHOOK_SUBSCRIPTION_ENDED: 'Webhook subscription ended',
};

function printKind(kind: string): string {
  return KINDS[kind as AuditKind] ?? kind;
}

/** An id of somebody who works here becomes the name. */
function printDetails({ details }: AuditEvent, nameOf: (id: string) => string): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${nameOf(value)}`)
    .join(', ');
}

const columns = (nameOf: (id: string) => string): readonly Column<AuditEvent>[] => [
  {
    key: 'at',
    header: 'When',
    cell: ({ occurred_at }) => <Moment at={occurred_at} />,
    value: ({ occurred_at }) => occurred_at,
  },
  {
    key: 'kind',
    header: 'What',
    cell: ({ kind, occurrences }) => (
      <>
        {printKind(kind)}
        {occurrences > 1 && (
          <Text span c="dimmed">
            {' '}
            × {occurrences}
          </Text>
        )}
      </>
    ),
    value: ({ kind }) => printKind(kind),
  },
  {
    key: 'address',
    header: 'Address',
    cell: ({ address }) => address ?? '',
    value: ({ address }) => address,
    wide: true,
  },
  {
    key: 'details',
    header: 'Details',
    cell: (event) => printDetails(event, nameOf),
    value: (event) => printDetails(event, nameOf),
    wide: true,
  },
];

export function AuditLog() {
  const [kind] = useAddress('kind');
  const { nameOf } = usePeople();
  const list = usePagedList(
    dashboard.listAuditEvents,
    { kind: kind as AuditKind | undefined },
    (page) => page.audit_events,
  );
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        What happened
      </Title>
      <DataTable
        name="Audit log"
        list={list}
        columns={columns(nameOf)}
        rowKey={({ id }) => id}
        filters={
          <ChoiceFilter
            name="kind"
            label="Kind"
            options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          />
        }
        empty={
          <Empty icon={IconShieldLock} title="Nothing of this kind">
            Sign-ins, new keys, paired devices and refused requests appear here.
          </Empty>
        }
      />
    </Stack>
  );
}
