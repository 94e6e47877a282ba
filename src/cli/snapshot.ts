/** `tillhouse merchant snapshot|reset`: keeps a copy of a merchant's records in a running sandbox, and puts it back (decision 0171). */
import type { RunningSandbox } from './running-server.js';

interface ShownSnapshot {
  readonly taken_at: string;
  readonly now: string;
  readonly records: number;
}

export const SNAPSHOT_ACTIONS = {
  async snapshot(sandbox: RunningSandbox, merchantId: string, output: string): Promise<void> {
    const path = `merchants/${encodeURIComponent(merchantId)}/snapshot`;
    const answer = await sandbox.call<{ snapshot: ShownSnapshot }>('POST', path);
    if (output === 'json') return console.log(JSON.stringify(answer, null, 2));
    const { records, now } = answer.snapshot;
    console.log(`Kept ${records} records, with the clock at ${now}.`);
  },

  async reset(sandbox: RunningSandbox, merchantId: string, output: string): Promise<void> {
    const path = `merchants/${encodeURIComponent(merchantId)}/reset`;
    const answer = await sandbox.call<{ snapshot: ShownSnapshot; clock: { now: string } }>('POST', path);
    if (output === 'json') return console.log(JSON.stringify(answer, null, 2));
    const { snapshot, clock } = answer;
    console.log(`Back at the snapshot of ${snapshot.taken_at}: ${snapshot.records} records, clock at ${clock.now}.`);
  },
};
