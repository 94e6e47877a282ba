/** One sale: its sums on top, receipt, tenders and refunds, and all that happened to it on the right. */
import { Button, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { SALE_MONEY_HELD } from '../../../src/business/figures/sale.js';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { figureLines } from '../../ui/figure-lines.js';
import { Figures } from '../../ui/figures.js';
import { IconReceipt, IconReceiptRefund } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { SaleFlags } from '../flagged/sale-flags.js';
import { BackLink } from '../shell/shell.js';
import { ReceiptView } from './receipt-view.js';
import { RefundModal } from './refund-modal.js';
import { Refunds } from './refunds.js';
import { type SaleDetail, SaleState, saleTitle, tenderNames } from './sale.js';
import { SaleFacts } from './sale-facts.js';
import { SaleTimeline } from './sale-timeline.js';
import { Tenders } from './tenders.js';
import { Webhooks } from './webhooks.js';

type Found = ResponseOf<typeof dashboard.retrieveSale>;

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveSale', id],
    queryFn: () => call(dashboard.retrieveSale, { sale_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={420} />}>
      {(found) => <SaleView found={found} />}
    </QueryView>
  );
}

function SaleView({ found: { sale, deliveries } }: { readonly found: Found }) {
  const { timezoneOf, locationName } = useBusiness();
  const [isRefunding, setRefunding] = useState(false);
  return (
    <Frame
      title={saleTitle(sale)}
      description={
        <>
          <Moment at={sale.created_at} timezone={timezoneOf(sale.location_id)} style="long" /> ·{' '}
          {locationName(sale.location_id)} · {tenderNames(sale)}
        </>
      }
      above={<BackLink to="/dashboard/sales">Sales</BackLink>}
      actions={
        <>
          <SaleState sale={sale} />
          <Button
            variant="default"
            component="a"
            href={sale.receipt_path}
            target="_blank"
            leftSection={<IconReceipt size={18} />}
          >
            Receipt
          </Button>
          <Button
            leftSection={<IconReceiptRefund size={18} />}
            disabled={sale.refundable_money.amount === 0}
            onClick={() => setRefunding(true)}
          >
            Refund
          </Button>
        </>
      }
    >
      <SaleFlags writes={sale.flagged_writes} timezone={timezoneOf(sale.location_id)} />
      <Sums sums={sale.sums} />
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Card padded>
              <ReceiptView sale={sale} />
            </Card>
            <Tenders sale={sale} />
            <Refunds sale={sale} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <SaleTimeline sale={sale} />
            <SaleFacts sale={sale} />
            <Webhooks deliveries={deliveries} />
          </Stack>
        </Grid.Col>
      </Grid>
      {isRefunding && <RefundModal sale={sale} onClose={() => setRefunding(false)} />}
    </Frame>
  );
}

/** A part of a figure stands below it. */
function Sums({ sums }: { readonly sums: SaleDetail['sums'] }) {
  const lines = figureLines(SALE_MONEY_HELD, sums);
  const partsOf = (key: string) =>
    lines
      .filter(({ partOf }) => partOf === key)
      .map(({ key: part, label, money }) => (
        <span key={part} data-part>
          <span>{label}</span> <Money value={money} />
        </span>
      ));
  const figures = lines
    .filter(({ partOf }) => partOf === undefined)
    .map(({ key, label, money }) => {
      const parts = partsOf(key);
      return { name: label, value: <Money value={money} />, note: parts.length > 0 && parts };
    });
  return <Figures figures={figures} />;
}
