/** Decides who may use the demo business without a secret: pages of this server, in a sandbox, on its own machine (decision 0141). */
import type { DemoOffer, ServerContext } from '../api/operation.js';
import type { Visitor } from '../api/visitor.js';
import { Refusal } from '../base/errors.js';

export function requireDemo({ demo }: ServerContext, visitor: Visitor): DemoOffer {
  if (!demo?.isOnlyLocal || !visitor.isLocal) {
    throw new Refusal('FORBIDDEN', {
      detail: 'Only a sandbox with the demo business offers this, on its own machine.',
    });
  }
  // The route has refused other sites. Without an origin the request does not come from a page of this server.
  if (visitor.origin === undefined || visitor.origin === 'null') {
    throw new Refusal('FORBIDDEN', { detail: 'Only pages of this server may do this.' });
  }
  return demo;
}
