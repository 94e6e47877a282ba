import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../base/errors.js';
import { instant } from '../base/time.js';
import { isAllowedAddress, lookupFor, requireNotificationUrl } from './addresses.js';
import { createSender } from './sending.js';

const PUBLIC = ['8.8.8.8', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::5'];
const PRIVATE = [
  ...['127.0.0.1', '127.255.0.9', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
  ...['::1', '::', 'fc00::1', 'fd12:3456::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '2002:7f00:1::'],
  ...['64:ff9b::10.0.0.1', '64:ff9b::a00:1', '::ffff:192.168.0.1', '2001:db8::1'],
];
const NEVER = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1',
  '224.0.0.1',
  '255.255.255.255',
  'ff02::1',
  'nonsense',
  '',
];

describe('isAllowedAddress', () => {
  it.each(PUBLIC)('allows %s anywhere', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([true, true]);
  });

  it.each(PRIVATE)('allows %s in a sandbox only', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([false, true]);
  });

  it.each(NEVER)('allows %s nowhere', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([false, false]);
  });

  it('thinks of an address inside of another as of the address itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const allowed = isAllowedAddress(address, 'production');
        expect(isAllowedAddress(`::ffff:${address}`, 'production')).toBe(allowed);
        expect(isAllowedAddress(`64:ff9b::${address}`, 'production')).toBe(allowed);
      }),
    );
  });
});

describe('requireNotificationUrl', () => {
  const refuses = (url: string, mode: 'sandbox' | 'production'): boolean => {
    try {
      requireNotificationUrl(url, mode, 'notification_url');
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ reason: 'INVALID_VALUE', field: 'notification_url' });
      return true;
    }
  };

  it.each([...['https://app.example/hook', 'https://app.example:8443/hook?a=b', 'https://8.8.8.8/']])(
    'takes %s in both modes',
    (url) => {
      expect([refuses(url, 'production'), refuses(url, 'sandbox')]).toEqual([false, false]);
    },
  );

  it.each([
    ...[
      'http://app.example/hook',
      'http://localhost:3000/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://localhost/',
    ],
    ...['https://2130706433/', 'https://0x7f.1/', 'https://printer.local/', 'https://db.internal./'],
  ])('takes %s in a sandbox only', (url) => {
    expect([refuses(url, 'production'), refuses(url, 'sandbox')]).toEqual([true, false]);
  });

  it.each([
    ...['nonsense', 'ftp://app.example/', 'https://user:secret@app.example/', 'https://app.example/#x'],
    ...[
      'https://app.example/a b',
      'javascript:alert(1)',
      'https://169.254.169.254/',
      'http://[fe80::1]/',
      '//app.example',
    ],
  ])('takes %s nowhere', (url) => {
    expect([refuses(url, 'production'), refuses(url, 'sandbox')]).toEqual([true, true]);
  });
});

describe('a name that leads home', () => {
  it('is not connected to in production, and is in a sandbox', async () => {
    const found = (mode: 'sandbox' | 'production') =>
      new Promise((resolve) =>
        lookupFor(mode)('localhost', {}, (error, address) => resolve(error?.message ?? address)),
      );
    expect(await found('production')).toBe('localhost lies where no message may be sent');
    expect(await found('sandbox')).toMatch(/^(?:127\.0\.0\.1|::1)$/);
  });

  it('gets no message, though it was allowed when it was named', async () => {
    let asked = 0;
    const http = createServer((_, response) => {
      asked++;
      response.end();
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const message = {
      signatureKey: 'key',
      body: '{}',
      firstTriedAt: instant(0),
      retry: 0,
      retryReason: null,
      fault: null,
    };
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]']) {
      const sender = createSender('production');
      const outcome = await sender.send({ ...message, url: `http://${host}:${port}/` });
      expect(outcome).toMatchObject({ status: null, failure: 'other_error' });
      expect(outcome.answer).toContain('lies where no message may be sent');
      sender.close();
    }
    expect(asked).toBe(0);
    const sender = createSender('sandbox');
    expect(await sender.send({ ...message, url: `http://localhost:${port}/` })).toMatchObject({
      status: 200,
      failure: null,
    });
    sender.close();
    expect(asked).toBe(1);
    http.close();
  });
});
