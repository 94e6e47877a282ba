/** Measures several loads in turn, because the speed of a machine changes from second to second. */

/**
 * Each round runs every load for a short time. The order is reversed in every other round, so that what grows steadily favours none.
 * @template {string} Name
 * @param {number} rounds
 * @param {Record<Name, () => Promise<{ perSecond: number, p50?: number, p99?: number, failures?: number }>>} loads
 */
export async function takeTurns(rounds, loads) {
  const names = Object.keys(loads);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) figures[name].push(await loads[name]());
  }
  return new Turns(figures);
}

class Turns {
  #figures;

  constructor(figures) {
    this.#figures = figures;
  }

  /** The medians of a load. */
  of(name) {
    const figures = this.#figures[name];
    const medianOf = (field) => Number(median(figures.map((figure) => figure[field] ?? 0)).toFixed(2));
    return {
      perSecond: Math.round(medianOf('perSecond')),
      p50: medianOf('p50'),
      p99: medianOf('p99'),
      failures: figures.reduce((sum, { failures = 0 }) => sum + failures, 0),
    };
  }

  /** The median of the rounds. A round in which the machine did something else does not count. */
  ratio(name, baseline) {
    return median(
      this.#figures[name].map(({ perSecond }, round) => perSecond / this.#figures[baseline][round].perSecond),
    );
  }

  /** What the benchmark prints for the load. */
  against(name, baseline, bar) {
    return { measured: this.of(name), baseline: this.of(baseline), ratio: this.ratio(name, baseline), bar };
  }
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
