/** The calm bar below the header: the network is away, something waits to be sent, was refused, or the tablet's clock is wrong. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import type { Icon } from '../../ui/icon.js';
import { IconAlertTriangle, IconChevronRight, IconClock, IconCloudOff, IconCloudUpload } from '../../ui/icons.js';
import { isClockWrong } from '../core/clock.js';
import { isOnline } from '../core/connection.js';
import { type Pending, pending, refused } from '../core/queue.js';
import { KeptWrites } from './kept-writes.js';
import classes from './status-bar.module.css';
import { useBetweenTaps } from './use-between-taps.js';

interface Status {
  readonly tone: 'calm' | 'warning' | 'danger';
  readonly icon: Icon;
  readonly text: string;
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** The most important thing first; only one is said at a time. */
function useStatus(): Status | undefined {
  const [online, waiting, failed, wrongClock] = [
    useStore(isOnline),
    useStore(pending),
    useStore(refused),
    useStore(isClockWrong),
  ];
  if (failed.length > 0) {
    const [were, need] = failed.length === 1 ? ['entry was', 'needs'] : ['entries were', 'need'];
    const text = `${failed.length} ${were} refused by the server and ${need} a decision`;
    return { tone: 'danger', icon: IconAlertTriangle, text };
  }
  if (!online) {
    const kept =
      waiting.count === 0 ? 'selling goes on' : `${keptWords(waiting)} kept here, sent when the network is back`;
    return { tone: 'warning', icon: IconCloudOff, text: `Offline: ${kept}` };
  }
  if (waiting.count > 0) return { tone: 'calm', icon: IconCloudUpload, text: `Sending ${keptWords(waiting)}` };
  if (wrongClock) {
    return {
      tone: 'warning',
      icon: IconClock,
      text: "The clock of this device is wrong. Times are corrected by the server's.",
    };
  }
  return undefined;
}

function keptWords({ count, list }: Pending): string {
  const sales = list.filter(({ operation }) => operation === 'ringUpSale').length;
  const others = count - sales;
  if (sales === 0) return plural(others, 'entry', 'entries');
  return `${plural(sales, 'sale', 'sales')}${others > 0 ? ` and ${plural(others, 'entry', 'entries')}` : ''}`;
}

export function StatusBar() {
  const status = useBetweenTaps(useStatus());
  const [isOpen, setOpen] = useState(false);
  if (!status) return null;
  const { tone, icon: StatusIcon, text } = status;
  return (
    <>
      <button type="button" className={classes['bar']} data-tone={tone} onClick={() => setOpen(true)}>
        <StatusIcon size={20} stroke={1.8} aria-hidden />
        <span role="status">{text}</span>
        <IconChevronRight size={18} aria-hidden />
      </button>
      {isOpen && <KeptWrites onClose={() => setOpen(false)} />}
    </>
  );
}
