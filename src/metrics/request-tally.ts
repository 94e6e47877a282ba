/** Counts requests. Every request passes here, so it only adds numbers; the labels are put together when somebody asks. */
import { METRICS } from './declarations.js';
import type { Sample } from './meter.js';

const REQUESTS = 'tillhouse_http_requests_total';
const DURATION = 'tillhouse_http_request_duration_seconds';
export const TALLIED_METRICS = [REQUESTS, DURATION] as const;

const { buckets: BUCKETS } = METRICS[DURATION];

interface Tally {
  readonly statuses: Map<number, number>;
  /** By the upper end of the bucket; the last one has no end. */
  readonly counts: number[];
  sum: number;
}

export class RequestTally {
  readonly #tallies = new Map<string, Tally>();

  add(operation: string, status: number, seconds: number): void {
    let tally = this.#tallies.get(operation);
    if (!tally) {
      tally = { statuses: new Map(), counts: new Array<number>(BUCKETS.length + 1).fill(0), sum: 0 };
      this.#tallies.set(operation, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    let index = 0;
    while (index < BUCKETS.length && seconds > (BUCKETS[index] as number)) index += 1;
    tally.counts[index] = (tally.counts[index] ?? 0) + 1;
    tally.sum += seconds;
  }

  sample(): Sample {
    const tallies = [...this.#tallies];
    return [
      toMetric(
        REQUESTS,
        tallies.flatMap(([operation, { statuses }]) =>
          [...statuses].map(([status, value]) => ({ value, labels: { operation, status } })),
        ),
      ),
      toMetric(
        DURATION,
        tallies.flatMap(([operation, tally]) => toSeries(operation, tally)),
      ),
    ];
  }
}

/** In the format of prom-client: each bucket includes the counts of the smaller ones. */
function toSeries(operation: string, { counts, sum }: Tally) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return { value: total, labels: { le: BUCKETS[index] ?? '+Inf', operation }, metricName: `${DURATION}_bucket` };
  });
  const labels = { operation };
  return [
    ...buckets,
    { value: sum, labels, metricName: `${DURATION}_sum` },
    { value: total, labels, metricName: `${DURATION}_count` },
  ];
}

function toMetric(name: (typeof TALLIED_METRICS)[number], values: readonly object[]): Sample[number] {
  const { kind, help } = METRICS[name];
  return { name, help, type: kind, values, aggregator: 'sum' } as unknown as Sample[number];
}
