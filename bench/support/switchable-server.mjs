/** The server, with a log of requests that its parent can switch off and on. It responds with the processor time that it has used so far. */
import { RequestLog } from '../../dist/api/request-log.js';
import { runCommandLine } from '../../dist/cli/command-line.js';

const { record } = RequestLog.prototype;
let isOn = true;
RequestLog.prototype.record = function (...given) {
  if (isOn) record.apply(this, given);
};
process.on('message', (message) => {
  isOn = message.isOn;
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
await runCommandLine(process.argv.slice(2));
