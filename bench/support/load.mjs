/** Sends requests over keep-alive connections, each after the response to the previous one, and measures response times. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests until `seconds` are over, or `signal` is aborted.
 * @param {{ port: number, connections: number, seconds?: number, signal?: AbortSignal, request: () => Buffer }} options
 * @returns {Promise<{ perSecond: number, p50: number, p99: number, p999: number, responses: number, failures: number }>}
 */
export async function load({ port, connections, seconds = Number.POSITIVE_INFINITY, signal, request }) {
  const times = [];
  let failures = 0;
  const end = performance.now() + seconds * 1000;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await open(port);
      while (performance.now() < end && !signal?.aborted) {
        const sent = performance.now();
        const status = await connection.ask(request());
        times.push(performance.now() - sent);
        if (status !== 200) failures++;
      }
      connection.close();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return { ...summarize(times, elapsed), responses: times.length, failures };
}

/**
 * Requests arrive at random moments, as those of many independent clients do, whether or not earlier ones have been answered. A response
 * time counts from the arrival, so a request that waits for a connection, because the server is late, counts with its wait.
 */
export async function loadOpenLoop({ port, connections, seconds, perSecond, request }) {
  const times = [];
  let failures = 0;
  let [arrived, busy] = [0, 0];
  const idle = [];
  const waiting = [];
  const send = async (arrivedAt) => {
    busy++;
    const connection = takeOpen(idle) ?? (await open(port));
    const status = await connection.ask(request());
    times.push(performance.now() - arrivedAt);
    if (status !== 200) failures++;
    idle.push(connection);
    busy--;
    const next = waiting.shift();
    if (next !== undefined) await send(next);
  };
  const started = performance.now();
  const end = started + seconds * 1000;
  for (let arrival = started; arrival < end; arrival += (-Math.log(1 - Math.random()) / perSecond) * 1000) {
    while (arrival > performance.now()) await sleep(1);
    arrived++;
    if (busy < connections) void send(arrival);
    else waiting.push(arrival);
  }
  while (times.length < arrived) await sleep(5);
  for (const connection of idle) connection.close();
  return { ...summarize(times, (performance.now() - started) / 1000), responses: arrived, failures };
}

/** The server closes connections that are idle for long. */
function takeOpen(idle) {
  for (;;) {
    const connection = idle.pop();
    if (connection === undefined || connection.isOpen()) return connection;
  }
}

function summarize(times, elapsedSeconds) {
  times.sort((a, b) => a - b);
  const at = (share) => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(2));
  return { perSecond: Math.round(times.length / elapsedSeconds), p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}

/** Sends one request and returns the body of its response. */
export async function ask(port, request) {
  const connection = await open(port);
  let body = Buffer.alloc(0);
  await connection.ask(request, (bytes) => {
    body = bytes;
  });
  connection.close();
  return body;
}

export function httpRequest(method, path, token, body) {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const content = payload && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${content}\r\n${payload}`,
  );
}

/** A connection with one request in flight at a time, which reads responses by their content-length. */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let chunks = [];
    let length = 0;
    let expected = -1;
    let waiting;
    socket.on('error', reject);
    socket.on('close', () => waiting?.resolve(0));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (expected < 0) {
        const head = chunks.length === 1 ? chunk : Buffer.concat(chunks);
        const separator = head.indexOf('\r\n\r\n');
        if (separator < 0) return;
        const match = /content-length: (\d+)/i.exec(head.latin1Slice(0, separator));
        expected = separator + 4 + Number(match?.[1] ?? 0);
      }
      if (length < expected) return;
      const answer = Buffer.concat(chunks);
      const separator = answer.indexOf('\r\n\r\n');
      const status = Number(answer.latin1Slice(9, 12));
      const done = waiting;
      waiting = undefined;
      chunks = [];
      length = 0;
      expected = -1;
      done?.onBody?.(answer.subarray(separator + 4));
      done?.resolve(status);
    });
    socket.on('connect', () =>
      resolve({
        ask: (request, onBody) =>
          new Promise((answered) => {
            waiting = { resolve: answered, onBody };
            socket.write(request);
          }),
        isOpen: () => socket.readyState === 'open',
        close: () => socket.end(),
      }),
    );
  });
}
