/**
 * The server, with a log of requests that its parent can switch off and on. It responds with the CPU time that it has used so far, and the
 * number of requests. The hook that calls the log stays, and so does its cost, in both states.
 */
import { RequestLog } from '../../dist/api/request-log.js';
import { runCommandLine } from '../../dist/cli/command-line.js';

const { record } = RequestLog.prototype;
let isOn = true;
let requests = 0;
RequestLog.prototype.record = function (...given) {
  requests++;
  if (isOn) record.apply(this, given);
};
process.on('message', (message) => {
  isOn = message.isOn;
  const { user, system } = process.cpuUsage();
  process.send({ microseconds: user + system, requests });
});
await runCommandLine(process.argv.slice(2));
