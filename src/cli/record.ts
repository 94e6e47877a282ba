/** `tillhouse record --target URL`: stands between a program and a server, and writes what they say as a fixture and as stubs (decision 0268). */

import { environmentWith, UsageError } from '../base/config.js';
import { HIGHEST_PORT } from '../base/hosts.js';
import { requireWholeNumber } from '../base/whole-number.js';
import { type Recorder, startRecorder } from '../recording/recorder.js';
import { Recording } from '../recording/recording.js';
import { ChildProgram } from './child-program.js';
import { required } from './command.js';
import { command } from './declare.js';
import { toHttpAddress } from './http-address.js';

const FLAGS = {
  target: { value: 'URL', fallback: '', about: 'the server that answers, such as http://127.0.0.1:4000' },
  to: { value: 'FOLDER', fallback: 'recording', about: 'the folder for fixture.json and stubs/' },
  overwrite: { value: '', fallback: '', isSwitch: true, about: 'replace a recording in this folder' },
  port: { value: 'NUMBER', fallback: '0', about: 'port to listen on; 0: any free port' },
} as const;

export const record = command({
  name: 'record',
  summary: 'record what a program and a server say, as a fixture and as stubs',
  usage: '--target URL [--to FOLDER] [flags] [-- PROGRAM [arguments]]',
  about:
    'Listens on loopback, passes requests on to the server and its responses back, and writes both without their secrets:\n' +
    'fixture.json is for tillhouse replay, and stubs/ for tillhouse serve --stubs. With a program: runs it with the address\n' +
    'in TILLHOUSE_URL, and exits with its exit status. Otherwise it records until Ctrl-C.',
  flags: FLAGS,
  takesMore: true,
  async run({ values, words }) {
    const port = requireWholeNumber(values.port, '--port', { min: 0, max: HIGHEST_PORT });
    const target = toTarget(required(values.target, 'target'));
    const program = words.length > 0 ? new ChildProgram(words) : undefined;
    const recording = await Recording.start(values.to, {
      target: target.href.replace(/\/$/, ''),
      overwrite: values.overwrite !== '',
    });
    // The standard output belongs to the program, if there is one.
    const say = program ? () => {} : (line: string) => console.log(line);
    const recorder = await listen(recording, { target, port, say });
    const status = program
      ? await program.run(environmentWith({ TILLHOUSE_URL: recorder.url }))
      : await untilStopped(recorder, target);
    await recorder.stop();
    await finish(recording);
    if (program) process.exit(status);
  },
});

function toTarget(given: string): URL {
  const target = new URL(toHttpAddress(given, '--target'));
  if (target.username !== '' || target.search !== '' || target.hash !== '') {
    throw new UsageError('--target must be an address without a password, a query and a fragment.');
  }
  return target;
}

interface Listening {
  readonly target: URL;
  readonly port: number;
  say(line: string): void;
}

async function listen(recording: Recording, { target, port, say }: Listening): Promise<Recorder> {
  const recorder = startRecorder({
    target,
    port,
    onExchange(exchange) {
      const isKept = recording.add(exchange);
      const { method, path, status, durationMs } = exchange;
      // Queries and paths can have secrets, which are masked only in what is written.
      const line = `${method} ${path.split('?', 1)[0]}  ${status}  ${Math.round(durationMs)} ms`;
      if (isKept) say(line);
      else console.error(`${line}  not recorded: the recording is full.`);
    },
    onProblem: (line) => console.error(line),
  });
  return recorder.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${port} is in use. Choose another one with --port, or 0 for any free port.`);
  });
}

async function untilStopped({ url }: Recorder, target: URL): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
  console.log(`Recording at ${url}, for ${target.href}. Press Ctrl-C to stop.`);
  await stopped;
  return 0;
}

async function finish(recording: Recording): Promise<void> {
  const { stubs, leftOut } = await recording.save();
  for (const each of leftOut) console.error(`No stub for ${each}`);
  const exchanges = recording.size === 1 ? '1 exchange' : `${recording.size} exchanges`;
  const written = stubs.length === 1 ? '1 stub' : `${stubs.length} stubs`;
  console.error(`Wrote ${exchanges} and ${written} to ${recording.folder}.`);
}
