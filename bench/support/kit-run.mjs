/** Measures one run of the test kit in its own process: loading, starting, creating merchants, stopping. */
const MERCHANTS = 100;
/** The first calls in a new process also load and compile code. */
const WARM_UP = 20;

process.once('message', async ({ dataDir, running }) => {
  const begin = performance.now();
  const { connectTillhouse, startTillhouse } = await import('../../dist/testing/index.js');
  const loaded = performance.now();
  const tillhouse = running ? connectTillhouse(running) : await startTillhouse({ dataDir });
  const started = performance.now();
  const merchants = [];
  for (let count = 0; count < WARM_UP + MERCHANTS; count++) {
    const from = performance.now();
    await tillhouse.createMerchant();
    if (count >= WARM_UP) merchants.push(performance.now() - from);
  }
  const created = performance.now();
  await tillhouse.stop();
  const stopped = performance.now();
  process.send({ load: loaded - begin, start: started - loaded, merchants, stop: stopped - created });
});
