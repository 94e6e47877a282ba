/** The rows of a big table. `BENCH_ROWS=100000 npm run bench` is a shorter trial, whose results are not saved. */
const DEFAULT = 1_000_000;

export const MANY = Number(process.env.BENCH_ROWS ?? DEFAULT);
export const isTrial = MANY !== DEFAULT;
