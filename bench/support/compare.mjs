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

/** More than this is a change of the program, and less may be the machine. */
const TOLERANCE = 0.15;

/** A sentence for each scenario whose ratio became worse than the tolerance allows. `bars` tells which direction is better. */
export function findRegressions(before, now, bars) {
  const sentences = {};
  for (const [scenario, { ratio }] of Object.entries(now)) {
    const was = before[scenario]?.ratio;
    if (!was) continue;
    const loss = bars[scenario].min === undefined ? ratio / was - 1 : 1 - ratio / was;
    if (loss > TOLERANCE) {
      sentences[scenario] = `${scenario}: the ratio was ${was} and is ${ratio}, ${Math.round(loss * 100)} % worse.`;
    }
  }
  return sentences;
}
