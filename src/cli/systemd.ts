/**
 * Tells systemd that the server is ready, and that it stops (`Type=notify`). Node.js cannot send datagrams to a local socket, so the
 * program `systemd-notify` does it, which is on every machine with systemd (decision 0178).
 */
import { execFile } from 'node:child_process';
import { takeSystemdEnvironment } from '../base/config.js';

/** Assignments such as `READY: '1'`. */
export type Notify = (fields: Readonly<Record<string, string>>) => void;

/** systemd confirms a message. One that does not must not keep a stopping server alive. */
const CONFIRM_LIMIT_MS = 10_000;

/** Without systemd, messages go nowhere. */
export function connectToSystemd(): Notify {
  const env = takeSystemdEnvironment();
  if (env === undefined) return () => {};
  return (fields) => {
    const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    execFile('systemd-notify', words, { env, timeout: CONFIRM_LIMIT_MS }, (error) => {
      // The server continues without this message.
      if (error) console.error(`tillhouse: could not notify systemd (${words.join(', ')}): ${reasonOf(error)}`);
    });
  };
}

function reasonOf(error: Error & { code?: unknown }): string {
  return error.code === 'ENOENT' ? 'the program systemd-notify is not installed.' : error.message.trim();
}
