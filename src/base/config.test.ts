import { describe, expect, it } from 'vitest';
import { parseArguments, SERVE_FLAGS, toServeConfig } from './config.js';

const rateLimit = (...args: string[]) => toServeConfig(parseArguments(args, SERVE_FLAGS).values).rateLimit;
const PRODUCTION = ['--mode', 'production', '--processor', 'simulator'];

describe('--rate-limit', () => {
  it('is off in a sandbox and 100 in production by default (decision 0081)', () => {
    expect(rateLimit()).toBeUndefined();
    expect(rateLimit(...PRODUCTION)).toBe(100);
  });

  it('is the given number in either mode, and 0 is off', () => {
    expect(rateLimit('--rate-limit', '5')).toBe(5);
    expect(rateLimit(...PRODUCTION, '--rate-limit', '5')).toBe(5);
    expect(rateLimit(...PRODUCTION, '--rate-limit', '0')).toBeUndefined();
  });

  it.each(['-1', '1.5', 'x', '1000001'])('refuses %s', (value) => {
    expect(() => rateLimit(`--rate-limit=${value}`)).toThrow('--rate-limit');
  });
});

describe('--webhook-ports', () => {
  const ports = (...args: string[]) => toServeConfig(parseArguments(args, SERVE_FLAGS).values).webhookPorts;

  it('are the HTTPS ports in production and any in a sandbox by default', () => {
    expect(ports()).toBeUndefined();
    expect(ports(...PRODUCTION)).toEqual([443, 8443]);
    expect(ports('--webhook-ports', '443')).toEqual([443]);
    expect(ports(...PRODUCTION, '--webhook-ports', '443, 9443,443')).toEqual([443, 9443]);
    expect(ports(...PRODUCTION, '--webhook-ports', 'any')).toBeUndefined();
  });

  it.each(['x', '0', '65536', '443,', '-1', '443;8443', '1.5', 'any,443'])('must be port numbers: %s', (value) => {
    expect(() => ports(`--webhook-ports=${value}`)).toThrow('--webhook-ports');
  });
});

describe('--metrics', () => {
  const address = (...args: string[]) => toServeConfig(parseArguments(args, SERVE_FLAGS).values).metrics;

  it('is off without a value', () => {
    expect(address()).toBeUndefined();
  });

  it.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('reads %s', (text, expected) => {
    expect(address('--metrics', text)).toEqual(expected);
  });

  it.each(['x', 'host:', ':9464', '127.0.0.1:65536', 'http://a/:1', 'a b:1', '-1'])('refuses %s', (text) => {
    expect(() => address(`--metrics=${text}`)).toThrow('--metrics (TILLHOUSE_METRICS) must be HOST:PORT or PORT');
  });
});
