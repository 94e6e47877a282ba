import { describe, expect, it } from 'vitest';
import { describeProgress, drawBar, ProgressReport } from './progress.js';

describe('progress', () => {
  it.each([
    [{ total: 1_000_000, done: 412_000, elapsedMs: 60_000 }, '412,000 of 1,000,000 payments, 6,867/s, 1 min 26 s left'],
    [{ total: 100, done: 50, elapsedMs: 1000 }, '50 of 100 payments, 50/s, 1 s left'],
    [{ total: 100, done: 0, elapsedMs: 0 }, '0 of 100 payments, 0/s, just begun'],
    [{ total: 100, done: 130, elapsedMs: 1000 }, '130 of 100 payments, 130/s, 0 s left'],
  ])('says how much is done, how fast, and how long it still takes: %o', (progress, said) => {
    expect(describeProgress(progress, 'payments')).toBe(said);
  });

  it.each([
    [0, '[------------------------]   0%'],
    [50, '[############------------]  50%'],
    [130, '[########################] 100%'],
  ])('draws %i of 100', (done, drawn) => {
    expect(drawBar({ total: 100, done })).toBe(drawn);
  });

  it('leaves a terminal as it was, and writes nothing in its place elsewhere', () => {
    const said = (isTTY: boolean): string => {
      let text = '';
      new ProgressReport({ isTTY, write: (more) => (text += more) }, { noun: 'payments', total: 1 }).clear();
      return text;
    };
    expect(said(true)).toBe('\r\u001b[K');
    expect(said(false)).toBe('');
  });
});
