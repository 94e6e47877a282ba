/** One run of the test kit as a test has it, in a process of its own: what loading, starting, merchants and stopping take. */
const MERCHANTS = 100;
/** Of a process that just started, the first few also load and compile what they use. */
const WARM_UP = 20;

process.once('message', async ({ dataDir, beside }) => {
  const began = performance.now();
  const { connectTillhouse, startTillhouse } = await import('../../dist/testing/index.js');
  const loaded = performance.now();
  const tillhouse = beside ? connectTillhouse(beside) : await startTillhouse({ dataDir });
  const started = performance.now();
  const merchants = [];
  for (let count = 0; count < WARM_UP + MERCHANTS; count++) {
    const from = performance.now();
    await tillhouse.createMerchant();
    if (count >= WARM_UP) merchants.push(performance.now() - from);
  }
  const made = performance.now();
  await tillhouse.stop();
  const stopped = performance.now();
  process.send({ load: loaded - began, start: started - loaded, merchants, stop: stopped - made });
});
