/** The server, which tells its parent how much memory it uses after a collection of garbage. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runCommandLine } from '../../dist/cli/command-line.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('message', () => {
  const { rss } = process.memoryUsage(); // before, as a monitor sees it
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send({ rss, heapUsed, external, arrayBuffers });
});
await runCommandLine(process.argv.slice(2));
