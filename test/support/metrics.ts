/** Reads the text format of Prometheus. */

export interface Scrape {
  /** The names of all metrics. */
  readonly names: readonly string[];
  /** The value of a series, such as `tillhouse_http_requests_total{operation="v2.createPayment",status="200"}`; undefined: absent. */
  value(series: string): number | undefined;
}

export async function scrape(url: string | undefined): Promise<Scrape> {
  const response = await fetch(url ?? '');
  const text = await response.text();
  if (response.status !== 200) throw new Error(`no metrics: ${response.status} ${text}`);
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, series = '', value = ''] = /^(tillhouse_\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (series !== '') values.set(series, Number(value));
  }
  return {
    names: [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name),
    value: (series) => values.get(series),
  };
}
