// Runs the embedded PostgreSQL in a separate process, which a test can kill. Arguments: the built module, the function
// to call, the data folder. Prints one line of JSON when it is up or refused. Reads "stop" and "exit" from standard input.
import { createInterface } from 'node:readline';

const [, , modulePath, functionName, dataDir] = process.argv;
const embedded = await import(modulePath);
try {
  const running = await embedded[functionName]({ dataDir });
  console.log(JSON.stringify({ url: running.url }));
  createInterface({ input: process.stdin }).on('line', async (line) => {
    if (line === 'exit') process.exit(3);
    await running.stop();
    process.exit(0);
  });
} catch (error) {
  console.log(JSON.stringify({ refused: { name: error.name, message: error.message } }));
  process.exit(1);
}
