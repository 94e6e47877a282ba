/** Opens traces, if the operator wants them. OpenTelemetry is an optional package, and is loaded only here (decision 0179). */
import { UsageError } from '../base/config.js';
import type { Tracing } from '../base/tracing.js';
import { readVersion } from '../base/version.js';

export async function openTracing(isWanted: boolean | undefined): Promise<Tracing | undefined> {
  if (!isWanted) return undefined;
  try {
    const { startTracing } = await import('./open-telemetry.js');
    return await startTracing(await readVersion());
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, which need two more packages. Install them beside tillhouse: ' +
        'npm install @opentelemetry/api @opentelemetry/sdk-node (with --global if tillhouse was installed so).',
    );
  }
}
