/** Compares figures with the last saved ones. */

const change = (was, is) => (was ? `${is >= was ? '+' : ''}${Math.round((is / was - 1) * 100)} %` : 'new');

/** One line per measured scenario: the previous value, the current value and the change of each figure. */
export function compareFigures(before, now) {
  return Object.fromEntries(
    Object.entries(now).map(([scenario, figure]) => {
      const was = before[scenario] ?? {};
      const cells = ['ratio', 'per_s', 'p50_ms', 'p99_ms', 'rss_mb'].map((name) => [
        name,
        was[name] === undefined
          ? `${figure[name]} (new)`
          : `${was[name]} -> ${figure[name]} (${change(was[name], figure[name])})`,
      ]);
      return [scenario, Object.fromEntries(cells)];
    }),
  );
}
