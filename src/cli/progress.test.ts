import { describe, expect, it } from 'vitest';
import { describeProgress, drawBar, ProgressReport } from './progress.js';

describe('progress', () => {
  it.each([
    [{ total: 1_000_000, done: 412_000, elapsedMs: 60_000 }, '412,000 of 1,000,000 payments, 6,867/s, 1 min 26 s left'],
    [{ total: 100, done: 50, elapsedMs: 1000 }, '50 of 100 payments, 50/s, 1 s left'],
    [{ total: 100, done: 0, elapsedMs: 0 }, '0 of 100 payments, 0/s, starting'],
    [{ total: 100, done: 130, elapsedMs: 1000 }, '130 of 100 payments, 130/s, 0 s left'],
  ])('describes progress, speed and remaining time: %o', (progress, text) => {
    expect(describeProgress(progress, 'payments')).toBe(text);
  });

  it.each([
    [0, '[------------------------]   0%'],
    [50, '[############------------]  50%'],
    [130, '[########################] 100%'],
  ])('draws %i of 100', (done, drawn) => {
    expect(drawBar({ total: 100, done })).toBe(drawn);
  });

  it('clears the bar on a terminal, and writes nothing elsewhere', () => {
    const output = (isTTY: boolean): string => {
      let text = '';
      new ProgressReport({ isTTY, write: (more) => (text += more) }, { noun: 'payments', total: 1 }).clear();
      return text;
    };
    expect(output(true)).toBe('\r\u001b[K');
    expect(output(false)).toBe('');
  });
});
