/** A webhook receiver that responds immediately and counts messages. */
import { createServer } from 'node:http';

let received = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received++;
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
process.on('message', () => process.send?.({ received }));
