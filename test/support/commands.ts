/** Runs commands inside the test process. Starting the program for each would take two hundred times the CPU time of most commands. */
import { format } from 'node:util';
import { runCommandLine } from '../../src/cli/command-line.js';
import { environment, type ProgramOptions, type Result } from './process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type HereOptions = Pick<ProgramOptions, 'cwd' | 'env'>;

/**
 * Runs a command until it ends, as `run` of process.ts does. The console, the environment, the exit code and the working directory
 * belong to the whole process, so only one command may run at a time.
 */
export async function runHere(args: readonly string[], { cwd, env }: HereOptions = {}): Promise<Result> {
  const { log, error } = console;
  const [before, beforeCwd, beforeCode] = [process.env, process.cwd(), process.exitCode];
  const listeners = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  const printed = { stdout: '', stderr: '' };
  console.log = (...values) => {
    printed.stdout += `${format(...values)}\n`;
  };
  console.error = (...values) => {
    printed.stderr += `${format(...values)}\n`;
  };
  process.env = environment(env);
  if (cwd !== undefined) process.chdir(cwd);
  process.exitCode = 0;
  try {
    await runCommandLine(args);
    return { code: Number(process.exitCode), signal: null, ...printed };
  } finally {
    Object.assign(console, { log, error });
    process.env = before;
    process.chdir(beforeCwd);
    process.exitCode = beforeCode;
    for (const [index, signal] of SIGNALS.entries()) {
      for (const each of process.listeners(signal)) if (!listeners[index]?.has(each)) process.off(signal, each);
    }
  }
}
