/** `tillhouse stub add|list|remove|reset`: answers requests by stubs (decision 0267). */
import { text as readText } from 'node:stream/consumers';
import { DATA_FLAGS, UsageError } from '../base/config.js';
import type { StubDefinition } from '../sandbox/stub-definition.js';
import { parseStubs, readStubFile } from '../sandbox/stub-files.js';
import { OUTPUT_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { findRunningSandbox, type RunningSandbox } from './running-server.js';

const FLAGS = {
  file: {
    value: 'FILE',
    fallback: '',
    about: 'a file of JSON with a stub, or with a list of them; - is the standard input (add)',
  },
  method: { value: 'METHOD', fallback: '', about: 'with --path: only requests with this method (add)' },
  path: {
    value: 'PATH',
    fallback: '',
    about: 'instead of --file: a path such as /v2/customers/{id} (add)',
  },
  status: { value: 'NUMBER', fallback: '200', about: 'with --path: the status of the response (add)' },
  body: { value: 'JSON', fallback: '', about: 'with --path: the body of the response (add)' },
  times: { value: 'NUMBER', fallback: '', about: 'with --path: how many requests it answers; default: all (add)' },
  merchant: {
    value: 'ID',
    fallback: '',
    about: 'only for this merchant; default: all merchants, and for list and reset all stubs',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type StubCall = Call<typeof FLAGS>;

/** A stub in the JSON of the sandbox API. */
interface ListedStub extends StubDefinition {
  readonly id: string;
  readonly merchant_id?: string;
  readonly source?: string;
  readonly used: number;
}

export const stub = command({
  name: 'stub',
  summary: 'answer requests by stubs',
  usage: 'add|list|remove|reset [ID] [flags]',
  about: 'Answers requests by stubs, instead of by the operations of the server.',
  flags: FLAGS,
  actions: { add: undefined, list: undefined, remove: { is: 'stub id', like: 'ID' }, reset: undefined },
  async run(call) {
    const stubs = call.action === 'add' ? await readStubs(call) : [];
    const server = await findRunningSandbox(call.values);
    await ACTIONS[call.action](server, call, stubs);
  },
});

const ACTIONS = {
  async add(server: RunningSandbox, { values }: StubCall, stubs: readonly StubDefinition[]): Promise<void> {
    const scope = values.merchant === '' ? {} : { merchant_id: values.merchant };
    const added: ListedStub[] = [];
    for (const each of stubs) {
      const body = { stub: { ...each, ...scope } };
      added.push((await server.call<{ stub: ListedStub }>('POST', 'stubs', body)).stub);
    }
    show(added, values);
  },
  async list(server: RunningSandbox, { values }: StubCall): Promise<void> {
    const { stubs } = await server.call<{ stubs: ListedStub[] }>('GET', `stubs${merchantQuery(values.merchant)}`);
    show(stubs, values);
    if (stubs.length === 0 && values.output === 'text' && process.stdout.isTTY) console.log('There are no stubs.');
  },
  async remove(server: RunningSandbox, { word, values }: StubCall): Promise<void> {
    await server.call('DELETE', `stubs/${encodeURIComponent(word)}`);
    console.log(values.output === 'json' ? '[]' : 'Removed.');
  },
  async reset(server: RunningSandbox, { values }: StubCall): Promise<void> {
    await server.call('DELETE', `stubs${merchantQuery(values.merchant)}`);
    console.log(values.output === 'json' ? '[]' : 'Reset.');
  },
};

async function readStubs({ values }: StubCall): Promise<readonly StubDefinition[]> {
  const { file, method, path, status, body, times } = values;
  if ((file === '') === (path === '')) throw new UsageError('--file with the stub is required, or --path.');
  if (file === '-') return parseStubs(await readText(process.stdin), 'The standard input');
  if (file !== '') return readStubFile(file);
  return parseStubs(
    JSON.stringify({
      request: { ...(method !== '' && { method: method.toUpperCase() }), path },
      response: { status: Number(status), ...(body !== '' && { body: parseBody(body) }) },
      ...(times !== '' && { times: Number(times) }),
    }),
    'The stub',
  );
}

/** JSON, or a text. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function merchantQuery(merchantId: string): string {
  return merchantId === '' ? '' : `?merchant_id=${encodeURIComponent(merchantId)}`;
}

function show(stubs: readonly ListedStub[], { output }: StubCall['values']): void {
  if (output === 'json') {
    console.log(JSON.stringify(stubs, null, 2));
    return;
  }
  for (const { id, name, request, response, responses, times, used, merchant_id, source } of stubs) {
    const statuses = (responses ?? [response]).map((each) => each?.status ?? 200).join(', ');
    const parts = [
      id,
      `${request.method ?? 'any method'} ${request.path}`,
      statuses,
      merchant_id ?? 'all merchants',
      times === undefined ? `used ${used}` : `used ${used} of ${times}`,
      source,
      name,
    ];
    console.log(parts.filter((each) => each !== undefined).join('  '));
  }
}
