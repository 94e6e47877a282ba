/** `tillhouse get|post|put|delete PATH [BODY]`: sends a request to the sandbox with a token of a merchant, and prints the response. */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { DATA_FLAGS, UsageError } from '../base/config.js';
import type { ServerCall } from '../sandbox-client.js';
import { TOKEN_FLAG } from './command.js';
import { type Call, type Command, command } from './declare.js';
import { chooseMerchant, findRunningSandbox, MERCHANT_FLAG } from './running-server.js';

const FLAGS = {
  merchant: MERCHANT_FLAG,
  token: TOKEN_FLAG,
  include: { value: '', short: 'i', fallback: '', isSwitch: true, about: 'also print the status and the headers' },
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type RequestCall = Call<typeof FLAGS>;

export const get = requestCommand('GET');
export const post = requestCommand('POST');
export const put = requestCommand('PUT');
export const deleteCommand = requestCommand('DELETE');

function requestCommand(method: ServerCall['method']): Command {
  const hasBody = method === 'POST' || method === 'PUT';
  const name = method.toLowerCase();
  const example = hasBody ? `/v2/payments '{...}'` : '/v2/payments';
  return command({
    name,
    summary: `send a ${method} request, such as ${name} /v2/payments`,
    usage: hasBody ? 'PATH [JSON | @FILE | -] [flags]' : 'PATH [flags]',
    about:
      `Sends a ${method} request to the sandbox and prints the response. Paths of /api/sandbox/ get the operator key.` +
      (hasBody ? ' The body is JSON, @FILE, or - for standard input.' : ''),
    flags: FLAGS,
    word: { is: 'path', like: example },
    ...(hasBody && { takesMore: true }),
    run: (call) => run(method, call),
  });
}

async function run(method: ServerCall['method'], { values, words }: RequestCall): Promise<void> {
  const [path = '', given, extra] = words;
  if (!path.startsWith('/'))
    throw new UsageError(`The path must begin with a slash, such as /v2/payments, not '${path}'.`);
  if (extra !== undefined)
    throw new UsageError(`Unexpected argument '${extra}'. Put JSON in quotes: '{"key": "value"}'.`);
  const text = given === undefined ? undefined : await readJson(given);
  const sandbox = await findRunningSandbox(values);
  const isOperators = path.startsWith('/api/sandbox/');
  const token = isOperators ? '' : (await chooseMerchant(sandbox, values)).token;
  const response = await sandbox.send({ method, path, token, ...(text !== undefined && { text }) });
  if (values.include !== '') {
    const headers = [...response.headers].map(([header, value]) => `${header}: ${value}`);
    console.log([`${response.status}`, ...headers, ''].join('\n'));
  }
  if (response.text !== '') console.log(pretty(response.text));
  if (response.status < 400) return;
  if (values.include === '') console.error(`tillhouse: the server responded with ${response.status}.`);
  process.exitCode = 1;
}

/** The text of a body. It is checked here, because a shell that has eaten the quotes is the usual mistake. */
async function readJson(given: string): Promise<string> {
  const isStandardInput = given === '-' || given === '@-';
  const text = isStandardInput
    ? await readAll(process.stdin)
    : given.startsWith('@')
      ? await readBodyFile(given.slice(1))
      : given;
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new UsageError(`The body is not JSON: ${(error as Error).message}. Put it in single quotes, or use @FILE.`);
  }
}

export async function readBodyFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`@${path} cannot be read (${error.code}).`);
  });
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
