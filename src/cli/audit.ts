/** `tillhouse audit`: lists the events of the audit log. */

import { toAuditEvent } from '../access/dashboard/audit.view.js';
import { DATA_FLAGS } from '../base/config.js';
import { printSeconds } from '../base/time.js';
import { requireWholeNumber } from '../base/whole-number.js';
import { AUDIT_KINDS } from '../identity/audit.js';
import type { NumberedEvent } from '../identity/audit-export-queries.js';
import { listAuditEvents } from '../identity/audit-queries.js';
import type { AuditEvent } from '../identity/table.js';
import { exportEvents, toLine } from './audit-export.js';
import { OUTPUT_FLAG, withDatabase } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  merchant: {
    value: 'ID',
    fallback: '',
    about: 'the events of this merchant; default: all events, including those without a merchant',
  },
  kind: {
    value: 'KIND',
    fallback: '',
    choices: AUDIT_KINDS,
    about: 'the events of this kind, such as OWNER_SIGN_IN_FAILED; default: any',
  },
  limit: { value: 'NUMBER', fallback: '', about: 'the maximum number of events; default: 50, and all for an export' },
  since: {
    value: 'TIME|CURSOR',
    fallback: '',
    about: 'export: all events since a time, or after the cursor of an earlier export, in a fixed order, oldest first',
  },
  follow: { value: '', fallback: '', isSwitch: true, about: 'export, and print new events until the command is ended' },
  'cursor-file': {
    value: 'FILE',
    fallback: '',
    about: 'export: where the cursor is kept, so that the next run continues there; --since is for the first one',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const ABOUT = `Lists security events, newest first. With --since, --follow or --cursor-file it exports them: in a fixed order, the cursor of each
event with it, as lines of JSON with -o json. An export that continues after a cursor misses no event and repeats none.`;

const MAX_LIMIT = 10_000;

export const audit = command({
  name: 'audit',
  summary: 'list security events: sign-ins, refusals, keys, modes',
  usage: '[flags]',
  about: ABOUT,
  flags: FLAGS,
  async run({ values }) {
    const { merchant, kind, output, since, follow, 'cursor-file': cursorFile } = values;
    if (since !== '' || follow === 'on' || cursorFile !== '') {
      const request = {
        ...{ merchantId: merchant || undefined, kind: kind || undefined, since, cursorFile, follows: follow === 'on' },
        limit: values.limit === '' ? Number.POSITIVE_INFINITY : toLimit(values.limit),
        print: output === 'json' ? toLine : (event: NumberedEvent) => `${event.position}  ${lineOf(event)}`,
      };
      return withDatabase(values, (database) => exportEvents(database, request));
    }
    const page = { limit: toLimit(values.limit || '50'), after: undefined };
    const wanted = { merchantId: merchant || undefined, kind: kind || undefined, page };
    const { items } = await withDatabase(values, ({ sql }) => listAuditEvents(sql, wanted));
    if (output === 'json') console.log(JSON.stringify(items.map(toAuditEvent), null, 2));
    else for (const each of items) console.log(lineOf(each));
  },
});

function toLimit(text: string): number {
  return requireWholeNumber(text, '--limit', { min: 1, max: MAX_LIMIT });
}

function lineOf(event: AuditEvent): string {
  const { occurredAt, kind, merchantId, address, occurrences, details } = event;
  const { accountId, applicationId, employeeId, deviceId } = event;
  const fields = { account: accountId, application: applicationId, employee: employeeId, device: deviceId, ...details };
  const facts = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  const times = occurrences > 1 ? [`${occurrences} times`] : [];
  return [printSeconds(occurredAt), kind, merchantId || '-', address ?? '-', ...times, ...facts].join('  ');
}
