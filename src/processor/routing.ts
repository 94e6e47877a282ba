/** Sends each call to the processor that has its payment: that of the server, or one of the merchant (decision 0183). */
import { type SealingKeys, UnopenedSecret } from '../base/sealing.js';
import type { Database } from '../database/database.js';
import type { AdapterOptions } from './adapter/processor.js';
import type { Adapter } from './adapter/transport.js';
import type { Action } from './adapter/wire.js';
import { type CallRequest, type Processor, ProcessorUnavailable } from './contract.js';
import { findMerchantProcessor } from './merchant-processor-queries.js';
import { openMerchantProcessor } from './merchant-processors.js';

export function withMerchantProcessors(ofServer: Processor, ofMerchants: Processor): Processor {
  const of = ({ processorId }: CallRequest): Processor => (processorId === null ? ofServer : ofMerchants);
  return {
    isCertain: (merchant, processorId) =>
      (processorId === null ? ofServer : ofMerchants).isCertain(merchant, processorId),
    authorize: (request) => of(request).authorize(request),
    capture: (request) => of(request).capture(request),
    void: (request) => of(request).void(request),
    refund: (request) => of(request).refund(request),
  };
}

export interface MerchantProcessorSettings extends AdapterOptions, Pick<Adapter, 'headers'> {
  readonly database: Database;
  readonly keys: SealingKeys;
}

/**
 * The processors of all merchants. Address and secret are read for each call: that costs little beside the call, and a new secret or a
 * rotated key takes effect at once on every server.
 */
export function createMerchantProcessors({
  database,
  keys,
  headers,
  ...options
}: MerchantProcessorSettings): Processor {
  const open = async (call: CallRequest, action: Action): Promise<Processor> => {
    const { merchant, processorId } = call;
    const { createAdapterProcessor } = await import('./adapter/processor.js'); // only merchants with an adapter need it
    const row = await findMerchantProcessor(database.sql, merchant.id, processorId ?? '');
    try {
      if (!row) throw new UnopenedSecret(`the merchant has no processor ${processorId}`);
      return createAdapterProcessor({ ...openMerchantProcessor(keys, row), headers }, options);
    } catch (error) {
      if (!(error instanceof UnopenedSecret)) throw error;
      options.onTrouble({ action, call, reason: error.message });
      throw new ProcessorUnavailable(error.message, { cause: error });
    }
  };
  return {
    isCertain: () => false,
    authorize: async (request) => (await open(request, 'authorize')).authorize(request),
    capture: async (request) => (await open(request, 'capture')).capture(request),
    void: async (request) => (await open(request, 'void')).void(request),
    refund: async (request) => (await open(request, 'refund')).refund(request),
  };
}
