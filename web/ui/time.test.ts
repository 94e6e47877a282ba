/** Times on pages. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { printTime } from './time.js';

describe('a time on a page', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-01-01T03:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['both', 'weekday'] as const)('has its year if this year is another one: %s', (style) => {
    expect(printTime('2025-10-29T12:00:00Z', style, 'UTC')).toContain('2025');
    expect(printTime('2026-01-01T02:00:00Z', style, 'UTC')).not.toContain('2026');
  });

  it('counts years in the time zone of the location', () => {
    // It is still 2025 in New York.
    expect(printTime('2025-10-29T12:00:00Z', 'both', 'America/New_York')).not.toContain('2025');
    expect(printTime('2026-01-01T12:00:00Z', 'both', 'America/New_York')).toContain('2026');
  });
});
