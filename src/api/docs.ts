/** Serves the OpenAPI description and a page that renders it, without files from other servers. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../base/json.js';
import { describeApi, type ResponseExamples } from './openapi.js';
import type { Operation } from './operation.js';

// The build copies the files from the renderer's package, which is therefore no runtime dependency.
const ASSETS = fileURLToPath(new URL('./docs-assets/', import.meta.url));

const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Tillhouse API</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, docExpansion: 'none', persistAuthorization: true,
});
`;

// The page must not connect to other servers.
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export async function registerDocs(app: FastifyInstance, operations: readonly Operation[]): Promise<void> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  let description: string | undefined; // generated on first use
  app.get('/openapi.json', async (_request, reply) => {
    description ??= JSON.stringify(describeApi(operations, { version, examples: await readExamples() }));
    return reply.type(JSON_TYPE).serializer(String).send(description);
  });
  app.get('/docs', async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html').send(PAGE),
  );
  app.get('/docs/start.js', async (_request, reply) => reply.type('text/javascript').send(START));
  for (const [name, type] of Object.entries(FILES)) {
    let file: Buffer | undefined; // read once and shared, so that slow clients cost no memory
    app.get(`/docs/${name}`, async (_request, reply) => {
      file ??= await readFile(`${ASSETS}${name}`);
      return reply.header('cache-control', 'public, max-age=3600').type(type).send(file);
    });
  }
}

export async function readExamples(): Promise<ResponseExamples> {
  return JSON.parse(await readFile(new URL('./examples.json', import.meta.url), 'utf8'));
}
