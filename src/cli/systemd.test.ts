import { afterEach, expect, it, vi } from 'vitest';
import { connectToSystemd } from './systemd.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('reports that systemd could not be notified, and does not throw', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.stubEnv('PATH', '/nonexistent');
  vi.stubEnv('NOTIFY_SOCKET', '/nonexistent/notify');
  const notify = connectToSystemd();
  expect(process.env['NOTIFY_SOCKET']).toBeUndefined();
  notify({ READY: '1', STATUS: 'Serving' });
  await expect.poll(() => printed.mock.calls.flat(), { timeout: 10_000 }).toHaveLength(1);
  expect(printed.mock.calls.flat()[0]).toMatch(
    /notify systemd \(READY=1, STATUS=Serving\): the program systemd-notify is not/,
  );
});

it('says nothing without systemd', () => {
  const printed = vi.spyOn(console, 'error');
  vi.stubEnv('NOTIFY_SOCKET', undefined);
  connectToSystemd()({ READY: '1' });
  expect(printed).not.toHaveBeenCalled();
});
