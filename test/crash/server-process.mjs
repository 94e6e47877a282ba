// A server in a separate process, which a test can kill. Arguments: the built server, the settings as JSON. Its
// processor is reached over HTTP. At the step named by {"haltAt": ...} a call stops for ever, and reports it.
const [, , built, settings] = process.argv;
const { config, processorUrl } = JSON.parse(settings);
const { startServer } = await import(built);

let haltAt;
process.on('message', (message) => {
  haltAt = message.haltAt;
  process.send({ haltAt });
});

async function pass(place, action) {
  if (place !== haltAt) return;
  process.send({ arrived: action });
  await new Promise(() => {});
}

async function call(action, request) {
  await pass('before the call', action);
  const response = await fetch(`${processorUrl}/${action}`, { method: 'POST', body: JSON.stringify(request) });
  const { answer } = await response.json();
  await pass('after the call', action);
  return answer;
}

const processor = processorUrl && {
  isCertain: () => false,
  authorize: (request) => call('authorize', request),
  capture: (request) => call('capture', request),
  void: (request) => call('void', request),
  refund: (request) => call('refund', request),
};

const { baseUrl } = await startServer(config, {
  onFailure(error) {
    throw error;
  },
  ...(processor && { processor }),
  dueWork: { lookIntervalMs: 200 }, // tests change due times without a server
});
process.send({ baseUrl });
