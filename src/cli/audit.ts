/** `tillhouse audit`: lists the events of the audit log. */
import { toAuditEvent } from '../access/dashboard/audit.view.js';
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig, UsageError } from '../base/config.js';
import { printSeconds } from '../base/time.js';
import { AUDIT_KINDS } from '../identity/audit.js';
import { type AuditEvent, listAuditEvents } from '../identity/audit-queries.js';
import { type Command, OUTPUT_FLAG, printHelp, withDatabase } from './command.js';

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
  limit: { value: 'NUMBER', fallback: '50', about: 'the maximum number of events' },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const MAX_LIMIT = 10_000;

export const audit: Command = {
  name: 'audit',
  summary: 'list security events: sign-ins, refusals, keys, modes',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('audit [flags]', 'Lists security events, newest first.', FLAGS);
    rejectExtraArguments(call, 0);
    const { merchant, kind, output } = call.values;
    const page = { limit: toLimit(call.values.limit), after: undefined };
    const { items } = await withDatabase(
      toDataConfig(call.values),
      ({ sql }) => listAuditEvents(sql, { merchantId: merchant || undefined, kind: kind || undefined, page }),
      { creates: false },
    );
    if (output === 'json') console.log(JSON.stringify(items.map(toAuditEvent), null, 2));
    else for (const each of items) console.log(lineOf(each));
  },
};

function toLimit(text: string): number {
  const limit = Number(text);
  if (/^[1-9]\d{0,4}$/.test(text) && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}, not '${text}'.`);
}

function lineOf(event: AuditEvent): string {
  const { occurredAt, kind, merchantId, address, occurrences, details, ...rest } = event;
  const { accountId, applicationId, employeeId, deviceId } = rest;
  const fields = { account: accountId, application: applicationId, employee: employeeId, device: deviceId, ...details };
  const facts = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  const times = occurrences > 1 ? [`${occurrences} times`] : [];
  return [printSeconds(occurredAt), kind, merchantId || '-', address ?? '-', ...times, ...facts].join('  ');
}
