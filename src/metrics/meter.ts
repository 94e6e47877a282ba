/** Counts and measures by the names in `declarations.ts`, and prints the values of several processes as one text for Prometheus. */
import { AggregatorRegistry, Counter, Gauge, Histogram, type MetricObject, Registry } from 'prom-client';
import { type Declaration, METRICS, type MetricName } from './declarations.js';

export type Labels = Readonly<Record<string, string | number>>;

/** The values of one process, as plain data. */
export type Sample = MetricObject[];

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export class Meter {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  /** Some metrics are of a single process, others of the whole database, which one process reads: each sample has its own names. */
  constructor(names: readonly MetricName[] = Object.keys(METRICS) as MetricName[]) {
    for (const name of names) this.#declare(name, METRICS[name]);
  }

  #declare(name: string, { kind, help, labels = [], across = 'sum', buckets = [] }: Declaration): void {
    const options = { name, help, labelNames: [...labels], registers: [this.#registry] };
    if (kind === 'counter') this.#counters.set(name, new Counter(options));
    else if (kind === 'gauge') this.#gauges.set(name, new Gauge({ ...options, aggregator: across }));
    else this.#histograms.set(name, new Histogram({ ...options, buckets: [...buckets] }));
  }

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  /** For what is counted elsewhere: `total` is the count since the process started. */
  setTotal(name: MetricName, total: number, labels: Labels = {}): void {
    const counter = this.#counters.get(name);
    counter?.remove(labels);
    counter?.inc(labels, total);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** Forgets the values of all labels of a gauge. */
  clear(name: MetricName): void {
    this.#gauges.get(name)?.reset();
  }

  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    this.#histograms.get(name)?.observe(labels, seconds);
  }

  sample(): Promise<Sample> {
    return this.#registry.getMetricsAsJSON() as unknown as Promise<Sample>;
  }
}

export function addUpSamples(samples: readonly Sample[]): Promise<Sample> {
  const sum = AggregatorRegistry.aggregate(samples as unknown as object[]);
  return sum.getMetricsAsJSON() as unknown as Promise<Sample>;
}

export function printSamples(samples: readonly Sample[]): Promise<string> {
  return AggregatorRegistry.aggregate(samples as unknown as object[]).metrics();
}
