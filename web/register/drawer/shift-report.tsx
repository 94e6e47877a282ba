/** The X report of an open shift, or the Z report of a closed one, on screen and on paper. */
import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../client/store.js';
import { IconPrinter } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { tenderName } from '../../ui/tenders.js';
import { printTime } from '../../ui/time.js';
import { call, register } from '../core/call.js';
import { device } from '../core/device.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { PaperHead, PaperLine, PaperRule } from '../parts/paper-lines.js';
import { printPaper } from '../parts/print.js';
import type { WireShiftReport } from '../parts/wire.js';
import classes from './shift-report.module.css';

export function ShiftReport({ shiftId, onClose }: { readonly shiftId: string; readonly onClose: () => void }) {
  const report = useQuery({
    queryKey: ['showShiftReport', shiftId],
    queryFn: async () => (await call(register.showShiftReport, { shift_id: shiftId })).report,
    staleTime: 0,
  });
  return (
    <Panel
      title={report.data ? `${report.data.kind} report` : 'Report'}
      size={440}
      onClose={onClose}
      footer={
        <BigButton
          icon={IconPrinter}
          isDisabled={!report.data}
          onClick={() => report.data && printPaper(<ReportLines report={report.data} />)}
        >
          Print
        </BigButton>
      }
    >
      <QueryView query={report}>{(found) => <ReportLines report={found} />}</QueryView>
    </Panel>
  );
}

function ReportLines({ report }: { readonly report: WireShiftReport }) {
  const paired = useStore(device);
  const timezone = paired?.location.timezone;
  const { shift } = report;
  const at = (time: string) => printTime(time, 'both', timezone);
  return (
    <div>
      <PaperHead title={`${report.kind} report`}>
        <span>
          {paired?.business.name}, {paired?.location.name}
        </span>
        <span>{paired?.name}</span>
      </PaperHead>
      <PaperLine label="Opened" value={at(shift.opened_at)} />
      {shift.ended_at !== undefined && <PaperLine label="Ended" value={at(shift.ended_at)} />}
      {shift.closed_at !== undefined && <PaperLine label="Closed" value={at(shift.closed_at)} />}
      <PaperRule />
      <PaperLine label={`Sales (${report.sales_count})`} value={printMoney(report.gross_money)} />
      <PaperLine label="Discounts" value={printMoney(report.discounts_money)} />
      <PaperLine label="Net" value={printMoney(report.net_money)} isStrong />
      <PaperLine label="Taxes" value={printMoney(report.taxes_money)} />
      <PaperLine label="Tips" value={printMoney(report.tips_money)} />
      <PaperLine label={`Refunds (${report.refunds_count})`} value={printMoney(report.refunds_money)} />
      {report.tenders.length > 0 && <PaperRule />}
      {report.tenders.map((tender) => (
        <PaperLine
          key={tender.type}
          label={`${tenderName(tender)} (${tender.count})`}
          value={printMoney(tender.amount_money)}
        />
      ))}
      <PaperRule />
      <PaperLine label="Opened with" value={printMoney(shift.opened_cash_money)} />
      <PaperLine label="Paid in" value={printMoney(report.paid_in_money)} />
      <PaperLine
        label="Paid out"
        value={printMoney({ ...report.paid_out_money, amount: -report.paid_out_money.amount })}
      />
      <PaperLine label="Expected cash" value={printMoney(report.expected_cash_money)} isStrong />
      {report.counted_cash_money && (
        <PaperLine label="Counted" value={printMoney(report.counted_cash_money)} isStrong />
      )}
      {report.over_short_money && (
        <PaperLine label="Over or short" value={printMoney(report.over_short_money)} isStrong />
      )}
      {report.late && <LateLines late={report.late} timezone={timezone} />}
      {report.kind === 'Z' && !report.is_stored && (
        <p className={classes['note']}>
          This drawer was closed before Z reports were kept. The report was added up again now.
        </p>
      )}
    </div>
  );
}

const LATE_WORDS = { SALE: 'Sale', REFUND: 'Refund', FAILED_REFUND: 'Refund that failed' } as const;

/** What was sold in the time of the drawer, but arrived after it was closed. */
function LateLines({
  late,
  timezone,
}: {
  readonly late: NonNullable<WireShiftReport['late']>;
  readonly timezone: string | undefined;
}) {
  return (
    <>
      <PaperRule />
      <PaperLine label="Arrived after closing, not in this report" value={printMoney(late.amount_money)} isStrong />
      {late.entries.map(({ kind, at, payment_id, amount_money }) => (
        <PaperLine
          key={`${kind} ${payment_id} ${at}`}
          isIndented
          label={`${LATE_WORDS[kind]}, ${printTime(at, 'both', timezone)}`}
          value={printMoney(amount_money)}
        />
      ))}
      <PaperLine label="Of which cash" value={printMoney(late.cash_money)} />
    </>
  );
}
