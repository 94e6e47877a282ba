import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../base/errors.js';
import { instant } from '../base/time.js';
import { isAllowedAddress } from './address-ranges.js';
import { lookupFor, requireNotificationUrl } from './addresses.js';
import { createSender } from './sending.js';

const MESSAGE = { signatureKey: 'key', body: '{}', firstTriedAt: instant(0), retry: 0, retryReason: null, fault: null };

const PUBLIC = [
  ...['8.8.8.8', '93.184.216.34', '172.15.0.1', '172.32.0.1', '100.63.255.255', '100.128.0.0', '192.88.98.1'],
  ...['168.63.129.15', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2606:4700::1111', '2a00:1450:4001::5', '2001:200::1', '2001:4860:4860::8888', '3ffe:ffff::1', '2003::1'],
  ...['::ffff:8.8.8.8', '::FFFF:808:808', '0:0:0:0:0:ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'],
];
const PRIVATE = [
  ...['127.0.0.1', '127.255.0.9', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ...['::1', '::', '::2', 'fc00::1', 'fd12:3456::1', 'fec0::1', '4000::1', '1fff::1', 'e000::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:FFFF:7F00:0001', '::ffff:0:127.0.0.1', '::127.0.0.1', '::7f00:1'],
  ...['2002:7f00:1::', '64:ff9b::10.0.0.1', '64:ff9b::a00:1', '::ffff:192.168.0.1'],
  ...['2001:db8::1', '2001:2::1', '2001:1::1', '2001:20::1', '2001:30::1', '2001:4:112::1', '2620:4f:8000::1'],
];
const METADATA = [
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['fd00:ec2::254', 'FD00:0EC2:0:0:0:0:0:254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42'],
  ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:a9fe:a9fe', '::169.254.169.254'],
  ...['::ffff:0:169.254.169.254', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::', '::ffff:100.100.100.200'],
];
const NEVER = [
  ...METADATA,
  ...['fe80::1', 'fe80::1%lo', '::1%lo', 'febf::1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['ff02::1', '192.88.99.1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '3fff::1', '3fff:fff::1', '5f00::1'],
  ...['64:ff9b:1::a00:1', '64:ff9b:1:a9fe:a9:fe00::', '100::1', '100:0:0:1::1', '::ffff:224.0.0.1'],
  ...['nonsense', '', '127.0.0.1 ', '1.2.3', '127.1'],
];

async function startReceiver() {
  const requests: unknown[] = [];
  const http = createServer((request, response) => {
    requests.push(request.url);
    response.end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { http, requests, port: (http.address() as AddressInfo).port };
}

describe('isAllowedAddress', () => {
  it.each(PUBLIC)('allows %s in both modes', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([true, true]);
  });

  it.each(PRIVATE)('allows %s in a sandbox only', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([false, true]);
  });

  it.each(NEVER)('allows %s in no mode', (address) => {
    expect([isAllowedAddress(address, 'production'), isAllowedAddress(address, 'sandbox')]).toEqual([false, false]);
  });

  it('treats an embedded IPv4 address like the address itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const allowed = isAllowedAddress(address, 'production');
        expect(isAllowedAddress(`::ffff:${address}`, 'production')).toBe(allowed);
        expect(isAllowedAddress(`::ffff:0:${address}`, 'production')).toBe(allowed);
        expect(isAllowedAddress(`64:ff9b::${address}`, 'production')).toBe(allowed);
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const words = [a * 256 + b, c * 256 + d].map((word) => word.toString(16)).join(':');
        for (const mode of ['production', 'sandbox'] as const) {
          const plain = isAllowedAddress(address, mode);
          for (const embedding of [
            `0:0:0:0:0:FFFF:${words}`,
            `::ffff:${words}`,
            `64:ff9b:0:0:0:0:${words}`,
            `2002:${words}::7`,
          ]) {
            expect(isAllowedAddress(embedding, mode), embedding).toBe(plain);
          }
        }
      }),
    );
  });
});

describe('requireNotificationUrl', () => {
  const refuses = (url: string, mode: 'sandbox' | 'production'): boolean => {
    try {
      requireNotificationUrl(url, { mode }, 'notification_url');
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(error).toMatchObject({ reason: 'INVALID_VALUE', field: 'notification_url' });
      return true;
    }
  };

  it.each([...['https://app.example/hook', 'https://app.example:8443/hook?a=b', 'https://8.8.8.8/']])(
    'accepts %s in both modes',
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
  ])('accepts %s in a sandbox only', (url) => {
    expect([refuses(url, 'production'), refuses(url, 'sandbox')]).toEqual([true, false]);
  });

  it.each([
    ...['nonsense', 'ftp://app.example/', 'https://user:secret@app.example/', 'https://app.example/#x'],
    ...[
      'https://app.example/a b',
      'javascript:alert(1)',
      'https://169.254.169.254/',
      'https://0xa9fea9fe/',
      'https://169.254.43518/',
      'https://[::ffff:169.254.169.254]/',
      'https://[fd00:ec2::254]/latest/meta-data',
      'http://metadata.google.internal/computeMetadata/v1/',
      'http://METADATA.google.internal./',
      'https://metadata/',
      'https://instance-data/',
      'http://[fe80::1]/',
      '//app.example',
    ],
  ])('accepts %s in no mode', (url) => {
    expect([refuses(url, 'production'), refuses(url, 'sandbox')]).toEqual([true, true]);
  });
});

describe('the ports of receivers', () => {
  const refuses = (url: string, webhookPorts?: readonly number[]): string => {
    try {
      requireNotificationUrl(url, { mode: 'sandbox', webhookPorts }, 'notification_url');
      return '';
    } catch (error) {
      return (error as Refusal).message;
    }
  };

  it.each([
    'https://app.example/',
    'https://app.example:443/',
    'https://app.example:8443/',
    'http://app.example:8443/',
  ])('include that of %s if 443 and 8443 are allowed', (url) => {
    expect(refuses(url, [443, 8443])).toBe('');
  });

  it.each(['http://app.example/', 'https://app.example:22/', 'https://app.example:844/', 'https://app.example:0/'])(
    'exclude that of %s if 443 and 8443 are allowed, and include it without a list',
    (url) => {
      expect(refuses(url, [443, 8443])).toContain('is not one of the ports allowed for webhooks: 443, 8443');
      expect(refuses(url)).toBe('');
    },
  );

  it('are checked again when a webhook is sent', async () => {
    const { http, port, requests } = await startReceiver();
    const send = async (webhookPorts: readonly number[]) => {
      const sender = createSender({ mode: 'sandbox', webhookPorts });
      const outcome = await sender.send({ ...MESSAGE, url: `http://127.0.0.1:${port}/` });
      sender.close();
      return outcome;
    };
    expect(await send([443])).toMatchObject({ status: null, failure: 'other_error' });
    expect(requests).toHaveLength(0);
    expect(await send([443, port])).toMatchObject({ status: 200, failure: null });
    http.close();
  });
});

describe('a name that resolves to another address each time', () => {
  it('is resolved once for a connection, which goes to the checked address', async () => {
    const http = createServer((request, response) => response.end(request.socket.localAddress));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const answers = ['127.0.0.1', '169.254.169.254'];
    const lookups: string[] = [];
    const lookup = lookupFor('sandbox', (hostname, _options, callback) => {
      lookups.push(hostname);
      callback(null, [{ address: answers.shift() ?? '', family: 4 }]);
    });
    const { port } = http.address() as AddressInfo;
    const connected = () =>
      new Promise((resolve) => {
        get({ host: 'rebound.example', port, lookup, agent: false }, (response) => {
          response.on('data', (body) => resolve(String(body)));
        }).on('error', (error) => resolve(error.message));
      });
    expect(await connected()).toBe('127.0.0.1');
    expect(lookups).toEqual(['rebound.example']);
    expect(await connected()).toBe('rebound.example is not an allowed address for webhooks');
    expect(lookups).toHaveLength(2);
    http.close();
  });

  it('is connected only to its allowed addresses', async () => {
    const found = [
      { address: '10.0.0.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
      { address: 'fd00:ec2::254', family: 6 },
    ];
    const lookup = lookupFor('production', (_hostname, _options, callback) => callback(null, found));
    const resolved = await new Promise((resolve) =>
      lookup('app.example', { all: true }, (_error, addresses) => resolve(addresses)),
    );
    expect(resolved).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });
});

describe('a name that resolves to this machine', () => {
  it('is not connected to in production, and is in a sandbox', async () => {
    const found = (mode: 'sandbox' | 'production') =>
      new Promise((resolve) =>
        lookupFor(mode)('localhost', {}, (error, address) => resolve(error?.message ?? address)),
      );
    expect(await found('production')).toBe('localhost is not an allowed address for webhooks');
    expect(await found('sandbox')).toMatch(/^(?:127\.0\.0\.1|::1)$/);
  });

  it('gets no webhook in production, even if the URL was accepted before', async () => {
    const { http, port, requests } = await startReceiver();
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]']) {
      const sender = createSender({ mode: 'production' });
      const outcome = await sender.send({ ...MESSAGE, url: `http://${host}:${port}/` });
      expect(outcome).toMatchObject({ status: null, failure: 'other_error' });
      expect(outcome.response).toContain('is not an allowed address for webhooks');
      sender.close();
    }
    expect(requests).toHaveLength(0);
    const sender = createSender({ mode: 'sandbox' });
    expect(await sender.send({ ...MESSAGE, url: `http://localhost:${port}/` })).toMatchObject({
      status: 200,
      failure: null,
    });
    sender.close();
    expect(requests).toHaveLength(1);
    http.close();
  });
});
