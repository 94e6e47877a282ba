/** The cash drawer: opened with counted cash, changed during the day, ended, and closed with what was counted. */
import { useState } from 'react';
import { amount } from '../../../src/base/money.js';
import { useStore } from '../../client/store.js';
import { IconCashRegister, IconReceipt } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { device } from '../core/device.js';
import { closeDrawer, type Drawer as DrawerState, drawer, endDrawer, noSale, openDrawer } from '../core/drawer.js';
import { attendant } from '../core/people.js';
import { announce } from '../parts/announce.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Box, Screen } from '../parts/screen.js';
import { AskIfEmpty, AskToClose, AskToEnd } from './ask.js';
import { CashPanel } from './cash-panel.js';
import { CountCash } from './count-cash.js';
import { differenceWords } from './difference-words.js';
import classes from './drawer.module.css';
import { PastReports } from './past-reports.js';
import { ShiftReport } from './shift-report.js';

export default function Drawer() {
  const [current, paired] = [useStore(drawer), useStore(device)];
  const seesReports = useStore(attendant)?.permissions.has('REGISTER_VIEW_SUMMARY_REPORTS') ?? false;
  const [report, setReport] = useState<string>();
  if (!paired) return null;
  const { currency } = paired.business;
  return (
    <Screen
      key={current?.state} // the screen of another state begins at its top
      title="Cash drawer"
      note={current ? `Opened ${printTime(current.openedAt, 'both', paired.location.timezone)}` : 'Closed'}
    >
      {!current && <OpenForm currency={currency} />}
      {current?.state === 'OPEN' && (
        <OpenDrawer
          state={current}
          currency={currency}
          onReport={seesReports ? () => setReport(current.shiftId) : undefined}
        />
      )}
      {current?.state === 'ENDED' && (
        <CloseForm state={current} currency={currency} onClosed={seesReports ? setReport : undefined} />
      )}
      {seesReports && <PastReports onPick={setReport} />}
      {report !== undefined && <ShiftReport shiftId={report} onClose={() => setReport(undefined)} />}
    </Screen>
  );
}

function OpenForm({ currency }: { readonly currency: string }) {
  const [sum, setSum] = useState(0);
  const { attempt, isBusy } = useAttempt();
  return (
    <Box title="Count the cash to open the drawer">
      <CountCash currency={currency} onChange={setSum} />
      <BigButton
        tone="main"
        isTall
        icon={IconCashRegister}
        isBusy={isBusy}
        onClick={() => attempt(() => openDrawer(amount(sum)), 'The drawer is open.')}
      >
        {`Open with ${printMoney({ amount: sum, currency })}`}
      </BigButton>
    </Box>
  );
}

interface OpenDrawerProps {
  readonly state: DrawerState;
  readonly currency: string;
  /** Absent without the permission: then the expected cash is not shown either. */
  readonly onReport: (() => void) | undefined;
}

function OpenDrawer({ state, currency, onReport }: OpenDrawerProps) {
  const mayOpen = useStore(attendant)?.permissions.has('REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE') ?? false;
  const [open, setOpen] = useState<'in' | 'out' | 'end'>();
  const { attempt, isBusy } = useAttempt();
  const print = (value: number) => printMoney({ amount: value, currency });
  return (
    <>
      <Box>
        <div className={classes['figures']}>
          <div>
            <span>Opened with</span>
            <strong>{print(state.openedCash)}</strong>
          </div>
          {onReport && (
            <div>
              <span>Expected cash</span>
              <strong>{print(state.expectedCash)}</strong>
            </div>
          )}
        </div>
      </Box>
      <div className={classes['ways']}>
        {mayOpen && (
          <>
            <BigButton isTall onClick={() => setOpen('in')}>
              Paid in
            </BigButton>
            <BigButton isTall onClick={() => setOpen('out')}>
              Paid out
            </BigButton>
            <BigButton
              isTall
              isDisabled={isBusy}
              onClick={() => attempt(noSale, 'The drawer was opened without a sale.')}
            >
              No sale
            </BigButton>
          </>
        )}
        {onReport && (
          <BigButton isTall icon={IconReceipt} isDisabled={state.isQueued} onClick={onReport}>
            X report
          </BigButton>
        )}
        <BigButton isTall isDisabled={isBusy} onClick={() => setOpen('end')}>
          End the shift
        </BigButton>
      </div>
      {open === 'end' && (
        <AskToEnd
          opened={state.openedCash}
          expected={onReport && state.expectedCash}
          currency={currency}
          onConfirm={async () => {
            await endDrawer();
            announce('The shift is ended. Count the cash to close it.');
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {(open === 'in' || open === 'out') && (
        <CashPanel direction={open} currency={currency} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

interface CloseFormProps {
  readonly state: DrawerState;
  readonly currency: string;
  readonly onClosed: ((shiftId: string) => void) | undefined;
}

/** Somebody who may not see reports counts without seeing the expected cash. Closing asks once, and twice if nothing was counted. */
function CloseForm({ state, currency, onClosed }: CloseFormProps) {
  const [sum, setSum] = useState(0);
  const [asked, setAsked] = useState<'empty' | 'close'>();
  const difference = sum - state.expectedCash;
  const close = async (note: string | undefined): Promise<void> => {
    const { status } = await closeDrawer(amount(sum), note);
    announce('The drawer is closed.');
    if (status === 'DONE') onClosed?.(state.shiftId);
  };
  return (
    <Box title="Count the cash to close the drawer">
      <CountCash currency={currency} onChange={setSum} />
      {onClosed && (
        <p className={classes['difference']} data-off={difference !== 0 || undefined}>
          <span>Expected cash {printMoney({ amount: state.expectedCash, currency })}</span>
          <strong>{differenceWords(difference, currency)}</strong>
        </p>
      )}
      <BigButton tone="main" isTall onClick={() => setAsked(sum === 0 ? 'empty' : 'close')}>
        Close the drawer
      </BigButton>
      {asked === 'empty' && <AskIfEmpty onEmpty={() => setAsked('close')} onClose={() => setAsked(undefined)} />}
      {asked === 'close' && (
        <AskToClose
          counted={sum}
          expected={onClosed && state.expectedCash}
          currency={currency}
          onConfirm={close}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Box>
  );
}
