/** The baseline for reads: a Fastify route that returns the same bytes from a Buffer. */
import Fastify from 'fastify';

process.once('message', async (base64) => {
  const body = Buffer.from(base64, 'base64');
  const app = Fastify();
  app.get('/*', (_request, reply) => reply.type('application/json').send(body));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send?.(app.server.address().port);
});
