/** `tillhouse logs`: prints the requests that a sandbox has recorded, and with --follow those that come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DATA_FLAGS } from '../base/config.js';
import { OUTPUT_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { findRunningSandbox, type RunningSandbox, renameFieldsInError } from './running-server.js';

const FLAGS = {
  follow: {
    value: '',
    short: 'f',
    fallback: '',
    isSwitch: true,
    about: 'also print new requests as they come, until Ctrl-C',
  },
  merchant: { value: 'ID', fallback: '', about: 'only requests of this merchant; default: of all' },
  operation: { value: 'NAME', fallback: '', about: 'such as v2.createPayment, or a surface such as v2; default: any' },
  status: { value: 'STATUS', fallback: '', about: 'such as 404, or a class such as 4xx; default: any' },
  text: { value: 'TEXT', fallback: '', about: 'only requests that contain this text' },
  all: { value: '', fallback: '', isSwitch: true, about: 'also requests of the console, the docs and commands' },
  bodies: { value: '', fallback: '', isSwitch: true, about: 'also print the bodies; JSON always has them' },
  limit: { value: 'NUMBER', fallback: '20', about: 'the maximum number of recorded requests, at most 200' },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type LogsCall = Call<typeof FLAGS>;

/** The server's error details name request fields; these are the flags that set them. */
const FLAG_OF = {
  merchant_id: '--merchant',
  operation: '--operation',
  status: '--status',
  text: '--text',
  limit: '--limit',
};

/** The pause before it connects again, after the server has ended the stream of changes. */
const PAUSE_MS = 500;
const MAX_PAGE = '200';

/** A request in the JSON of the sandbox API. */
interface ListedRequest {
  readonly id: string;
  readonly at: string;
  readonly duration_ms: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly operation?: string;
  readonly merchant_id?: string;
  readonly error?: string;
  readonly fault?: string;
  readonly sent_by?: string;
}

interface PrintedBody {
  readonly text: string;
  readonly is_cut: boolean;
}

/** With its bodies, which a list does not have. */
interface ShownRequest extends ListedRequest {
  readonly request_body?: PrintedBody;
  readonly response_body?: PrintedBody;
}

export const logs = command({
  name: 'logs',
  summary: 'print the requests that programs send',
  usage: '[--follow] [flags]',
  about: 'Prints the requests of programs that a sandbox has recorded, the newest last. Secrets are hidden.',
  flags: FLAGS,
  async run(call) {
    const sandbox = await findRunningSandbox(call.values);
    const first = await fetchRequests(sandbox, call, call.values.limit);
    if (call.values.follow === '') return print(await complete(sandbox, call, first), call.values.output);
    await follow(sandbox, call, first);
  },
});

/** Oldest first, with the bodies if they are printed. */
async function complete(
  sandbox: RunningSandbox,
  { values: { bodies, output } }: LogsCall,
  newestFirst: readonly ListedRequest[],
): Promise<readonly ShownRequest[]> {
  const inOrder = newestFirst.toReversed();
  if (bodies === '' && output !== 'json') return inOrder;
  const shown: ShownRequest[] = [];
  for (const each of inOrder) {
    const path = `requests/${encodeURIComponent(each.id)}`;
    const found = await sandbox.call<{ request: ShownRequest }>('GET', path).catch(() => undefined); // newer ones have pushed it out
    const { request_body, response_body } = found?.request ?? {};
    shown.push({ ...each, ...(request_body && { request_body }), ...(response_body && { response_body }) });
  }
  return shown;
}

/** Newest first. */
async function fetchRequests(sandbox: RunningSandbox, { values }: LogsCall, limit: string): Promise<ListedRequest[]> {
  const { merchant, operation, status, text, all } = values;
  const sent_by = all === '' ? 'program' : '';
  const filters = Object.entries({ merchant_id: merchant, operation, status, text, sent_by }).filter(
    ([, value]) => value !== '',
  );
  const path = `requests?${new URLSearchParams([...filters, ['limit', limit]])}`;
  return (await renameFieldsInError(FLAG_OF, sandbox.call<{ requests: ListedRequest[] }>('GET', path))).requests;
}

function print(inOrder: readonly ShownRequest[], output: string): void {
  if (output === 'json') console.log(JSON.stringify(inOrder.map(toOutput), null, 2));
  else for (const each of inOrder) console.log(linesOf(each));
}

/** Bodies that are JSON as JSON, and others as text. */
function toOutput({ request_body, response_body, ...request }: ShownRequest) {
  return {
    ...request,
    ...(request_body && { request_body: parse(request_body) }),
    ...(response_body && { response_body: parse(response_body) }),
  };
}

function parse({ text }: PrintedBody): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function linesOf(request: ShownRequest): string {
  const { request_body: sent, response_body: received } = request;
  const parts = [sent && printBody('>', sent), received && printBody('<', received)];
  return [lineOf(request), ...parts.filter((part) => part !== undefined)].join('\n');
}

/** `mark` says in which direction the body went. */
function printBody(mark: string, { text, is_cut }: PrintedBody): string {
  const lines = [...text.split('\n'), ...(is_cut ? ['(only the beginning was kept)'] : [])];
  return lines.map((line) => `  ${mark} ${line}`).join('\n');
}

/** Prints each request as a line of JSON or of text. The stream that tells open consoles what is new also tells when to ask again. */
async function follow(sandbox: RunningSandbox, call: LogsCall, first: readonly ListedRequest[]): Promise<never> {
  const printNew = async (newestFirst: readonly ListedRequest[]): Promise<void> => {
    for (const each of await complete(sandbox, call, newestFirst)) {
      console.log(call.values.output === 'json' ? JSON.stringify(toOutput(each)) : linesOf(each));
    }
  };
  await printNew(first);
  for (let newest = first[0]?.id; ; await sleep(PAUSE_MS)) {
    for await (const _ of sandbox.changes()) {
      const latest = await fetchRequests(sandbox, call, MAX_PAGE);
      const known = latest.findIndex(({ id }) => id === newest);
      await printNew(latest.slice(0, known < 0 ? undefined : known));
      newest = latest[0]?.id ?? newest;
    }
  }
}

function lineOf({
  at,
  status,
  operation,
  method,
  path,
  duration_ms,
  merchant_id,
  error,
  fault,
  sent_by,
}: ListedRequest): string {
  const columns = [
    at,
    status === 0 ? 'reset' : String(status),
    (operation ?? 'none').padEnd(24),
    `${method} ${path}`,
    `${duration_ms} ms`,
    merchant_id ?? 'no merchant',
    ...(sent_by === undefined ? [] : [`sent by ${sent_by}`]),
    ...(fault === undefined ? [] : [`fault ${fault}`]),
    ...(error === undefined ? [] : [error]),
  ];
  return columns.join('  ');
}
