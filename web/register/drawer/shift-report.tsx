/** The X report of an open shift, or the Z report of a closed one, on screen and on paper. */
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useStore } from '../../client/store.js';
import { reportBlocks, reportNotes } from '../../ui/drawer-report.js';
import { IconPrinter } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
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
  const { shift } = report;
  const at = (time: string) => printTime(time, 'both', paired?.location.timezone);
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
      {reportBlocks(report, at).map((lines) => (
        <Fragment key={lines[0]?.key}>
          <PaperRule />
          {lines.map(({ key, label, money, isSum, isPart }) => (
            <PaperLine key={key} label={label} value={printMoney(money)} isStrong={isSum} isIndented={isPart} />
          ))}
        </Fragment>
      ))}
      {reportNotes(report).map((note) => (
        <p key={note} className={classes['note']}>
          {note}
        </p>
      ))}
    </div>
  );
}
