import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRedirectUrl, originOf, policySourceOf, withParameters } from './redirect-urls.js';

describe('isRedirectUrl', () => {
  it.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/a?b=c',
    'http://localhost/callback',
    'http://localhost:3000/',
    'http://127.0.0.1:8080/x',
    'http://[::1]:8080/x',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])('accepts %s', (url) => {
    expect(isRedirectUrl(url)).toBe(true);
  });

  it.each([
    'http://app.example/',
    'http://localhost.example/',
    'myapp:/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://app.example/#fragment',
    'https://user@app.example/',
    'https://:pass@app.example/',
    'https://app.example/a b',
    `https://app.example/${'x'.repeat(2048)}`,
    'app.example/callback',
    '',
  ])('refuses %s', (url) => {
    expect(isRedirectUrl(url)).toBe(false);
  });
});

describe('withParameters', () => {
  it('keeps the URL and appends parameters that can be parsed again', () => {
    const urls = fc.constantFrom('https://app.example/cb', 'https://app.example/cb?x=1', 'com.example.app:/cb');
    // The library's own unit of any code point first makes a table of all of them, which takes more than a second.
    const unit = fc.integer({ min: 0, max: 0x10_ff_ff }).map((point) => String.fromCodePoint(point));
    const states = fc.string({ unit: fc.oneof(unit, fc.constantFrom('&', '=', '#', '%', '+', ' ')) });
    fc.assert(
      fc.property(urls, states, (url, state) => {
        fc.pre(state.isWellFormed());
        const whole = withParameters(url, { code: 'c', error: undefined, state });
        expect(whole.startsWith(url)).toBe(true);
        const { searchParams, origin } = new URL(whole);
        expect([searchParams.get('code'), searchParams.get('state'), searchParams.has('error')]).toEqual([
          'c',
          state,
          false,
        ]);
        expect(origin).toBe(new URL(url).origin);
      }),
    );
  });
});

describe('policySourceOf', () => {
  it('is any https host, or exactly the given origin or scheme', () => {
    expect(policySourceOf('https://app.example/a')).toBe('https:');
    expect(policySourceOf('http://127.0.0.1:8080/a')).toBe('http://127.0.0.1:8080');
    expect(policySourceOf('com.example.app:/callback')).toBe('com.example.app:');
  });
});

describe('originOf', () => {
  it('is the origin, or the scheme of a private URL', () => {
    expect(originOf('https://app.example:8443/a?b')).toBe('https://app.example:8443');
    expect(originOf('com.example.app:/callback')).toBe('com.example.app:');
  });
});
