/** Serves the OpenAPI description, the pages that render it, and the guides, without files from other servers. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../base/json.js';
import { guideList, markdownFiles } from './markdown-docs.js';
import { describeApi, type ResponseExamples } from './openapi.js';
import type { Operation, ServerContext } from './operation.js';
import { registerFiles, sendFile } from './web.js';
import { generatedFile, listWebFiles, type WebFile } from './web-files.js';

/** `scripts/docs-pages.mjs` builds them (decision 0167). The same folder for the compiled server and for tests, which run the sources. */
const FOLDER = fileURLToPath(new URL('../../dist/docs/', import.meta.url));

const REFERENCE = '/docs';

// The pages must not connect to other servers. The renderer adds style elements at run time.
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `context` has the address of the server as soon as it listens. */
export async function registerDocs(
  app: FastifyInstance,
  operations: readonly Operation[],
  context: Pick<ServerContext, 'publicUrl'>,
): Promise<void> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const descriptions = [
    generatedFile('/openapi.json', JSON_TYPE, async () =>
      JSON.stringify(
        describeApi(operations, { version, examples: await readExamples(), serverUrl: context.publicUrl }),
      ),
    ),
    generatedFile('/openapi-processor.json', JSON_TYPE, async () => {
      const { describeAdapterApi } = await import('../processor/adapter/openapi.js'); // few ask for it
      return JSON.stringify(describeAdapterApi(version));
    }),
  ];
  for (const file of descriptions) {
    app.get(file.path, async (request, reply) => sendFile(file, request, reply.headers(REVALIDATED)));
  }
  const list = guideList();
  app.get(list.path, async (request, reply) => sendFile(list, request, reply.headers(REVALIDATED)));
  const files = new Map(listWebFiles(FOLDER).map((file) => [addressOf(file.path), file]));
  const reference = files.get(REFERENCE);
  files.delete(REFERENCE);
  if (reference) {
    app.get(REFERENCE, async (request, reply) => sendFile(reference, request, reply.headers(headersOf(reference))));
  } // otherwise the pages have not been built
  registerFiles(app, new Map([...files, ...markdownFiles()]), headersOf);
}

/** Clients ask each time whether it has changed. */
const REVALIDATED = { 'cache-control': 'no-cache', vary: 'accept-encoding' };

function headersOf({ path }: WebFile): Record<string, string> {
  if (path.endsWith('.html')) return { ...REVALIDATED, 'content-security-policy': POLICY };
  return { ...REVALIDATED, 'cache-control': 'public, max-age=3600' };
}

/** Addresses of pages have no `.html`, and the reference is the first page. */
function addressOf(path: string): string {
  return path === 'reference.html' ? REFERENCE : `/docs/${path.replace(/\.html$/, '')}`;
}

/** What the server responded to the examples of operations (decision 0168). */
async function readExamples(): Promise<ResponseExamples> {
  return JSON.parse(await readFile(new URL('../../docs/examples.json', import.meta.url), 'utf8'));
}
