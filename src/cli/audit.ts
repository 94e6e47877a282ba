/** `tillhouse audit`: shows the audit log to the operator. */
import { toAuditEvent } from '../access/dashboard/audit.view.js';
import { DATA_FLAGS, readCall, refuseWords, toDataConfig, UsageError } from '../base/config.js';
import { printSeconds } from '../base/time.js';
import { AUDIT_KINDS } from '../identity/audit.js';
import { type AuditEvent, listAuditEvents } from '../identity/audit-queries.js';
import { type Command, OUTPUT_FLAG, printHelp, withDatabase } from './command.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'whose events; absent: all events, also those without a merchant' },
  kind: {
    value: 'KIND',
    fallback: '',
    choices: AUDIT_KINDS,
    about: 'one kind, such as OWNER_SIGN_IN_FAILED; absent: any',
  },
  limit: { value: 'NUMBER', fallback: '50', about: 'how many at most, newest first' },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const MOST = 10_000;

export const audit: Command = {
  name: 'audit',
  summary: 'show security events: sign-ins, refusals, keys, modes',
  async run(args) {
    const call = readCall(args, FLAGS);
    if (call.help) return printHelp('audit [flags]', 'Shows security events, newest first.', FLAGS);
    refuseWords(call, 0);
    const { merchant, kind, output } = call.values;
    const page = { limit: toLimit(call.values.limit), after: undefined };
    const { items } = await withDatabase(
      toDataConfig(call.values),
      ({ sql }) => listAuditEvents(sql, { merchantId: merchant || undefined, kind: kind || undefined, page }),
      { makes: false },
    );
    if (output === 'json') console.log(JSON.stringify(items.map(toAuditEvent), null, 2));
    else for (const each of items) console.log(lineOf(each));
  },
};

function toLimit(text: string): number {
  const limit = Number(text);
  if (/^[1-9]\d{0,4}$/.test(text) && limit <= MOST) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST}, not '${text}'.`);
}

function lineOf(event: AuditEvent): string {
  const { occurredAt, kind, merchantId, address, occurrences, details, ...rest } = event;
  const { accountId, applicationId, employeeId, deviceId } = rest;
  const named = { account: accountId, application: applicationId, employee: employeeId, device: deviceId, ...details };
  const facts = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  const times = occurrences > 1 ? [`${occurrences} times`] : [];
  return [printSeconds(occurredAt), kind, merchantId || '-', address ?? '-', ...times, ...facts].join('  ');
}
