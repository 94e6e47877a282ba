/** All that happened to a sale, newest last. */
import { Text, Timeline, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { tenderName } from '../../../src/business/tenders/words.js';
import { printMoney } from '../../ui/money.js';
import { Card } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { useAuthor } from './refunds.js';
import type { SaleDetail } from './sale.js';

type Entry = SaleDetail['timeline'][number];

export function SaleTimeline({ sale }: { readonly sale: SaleDetail }) {
  const { timezoneOf } = useBusiness();
  const { titleOf, noteOf } = useWords(sale);
  return (
    <Card padded>
      <Title order={2} size="h5" mb="md">
        Timeline
      </Title>
      <Timeline
        bulletSize={12}
        lineWidth={2}
        styles={{ itemTitle: { lineHeight: 1.35 } }}
        active={sale.timeline.length}
      >
        {sale.timeline.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only added at the end
          <Timeline.Item key={index} title={titleOf(entry)}>
            <Text size="sm" c="dimmed">
              <Moment at={entry.at} timezone={timezoneOf(sale.location_id)} />
              {noteOf(entry)}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

/** The words for each entry: what happened, and by whom or where. */
function useWords(sale: SaleDetail) {
  const author = useAuthor();
  const { nameOf } = usePeople();
  const tenderOf = (id: string | undefined): string => {
    const tender = sale.tenders.find((each) => each.id === id);
    return tender ? tenderName(tender) : 'the tender';
  };
  const refundOf = ({ refund_id }: Entry) => sale.refunds.find(({ id }) => id === refund_id);
  const titleOf = (entry: Entry): string => {
    const money = entry.amount_money ? printMoney(entry.amount_money) : '';
    const payer = refundOf(entry)?.returned_to;
    const tender = payer ? tenderName(payer) : tenderOf(entry.tender_id);
    const titles: Readonly<Record<Entry['kind'], string>> = {
      RUNG_UP: `Rung up for ${money}`,
      ORDER_PLACED: `Ordered for ${money}`,
      PRICE_LOWERED: `${entry.name ?? 'Item'} ${money} below its price`,
      DISCOUNT_ALLOWED: `${entry.name ?? 'Discount'} ${money}`,
      AUTHORIZED: `${money} authorized on ${tender}`,
      PAID: `${money} paid with ${tender}`,
      REFUNDED: `Refund of ${money} to ${tender}`,
      REFUND_COMPLETED: `${money} returned to ${tender}`,
      REFUND_FAILED: `Refund to ${tender} failed`,
      EXCHANGED: `Goods of ${money} exchanged`,
      EXCHANGE_UNDONE: `Exchange of ${money} undone`,
      REVERSED: `${money} reversed`,
      DISPUTED: `${money} disputed`,
      DISPUTE_ENDED: 'Dispute ended',
      SETTLED: `${money} in a payout`,
    };
    return titles[entry.kind];
  };
  const noteOf = (entry: Entry): ReactNode => {
    const refund = refundOf(entry);
    if (entry.kind === 'REFUNDED' && refund) return ` ${author(refund)}`;
    if (entry.employee_id !== undefined) return ` · allowed by ${nameOf(entry.employee_id)}`;
    if (entry.settlement_id === undefined) return null;
    return (
      <>
        {' · '}
        <TextLink to={`/dashboard/payouts/${entry.settlement_id}`}>Payout</TextLink>
      </>
    );
  };
  return { titleOf, noteOf };
}
