/** Operations with which the owner creates and revokes the keys of online stores. */

import { operation } from '../../api/operation.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, Bool, model, Nothing, type Static, Time, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { notFound } from '../../base/errors.js';
import { printSeconds } from '../../base/time.js';
import { actorOf, changeAudited, recordAudit } from '../../identity/audit.js';
import { issueCredentials } from '../../identity/directory.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { listPublishableKeys, movePublishableKeyToRevoked, type PublishableKey } from './publishable-key-queries.js';
import { createPublishableKey, isPageKey } from './publishable-keys.js';

const PATH = '/api/dashboard/publishable-keys';

const Key = model('PublishableKey', {
  id: about('The id of the key. It is not the key itself.', Type.String()),
  location_id: about('The location whose store uses the key.', Type.String()),
  of_store_page: about("Whether the page of the location's store uses the key. Revoking it closes the page.", Bool),
  revoked: about('Whether the key no longer works.', Bool),
  created_at: about('When the key was created.', Time),
});

function toKey({ id, locationId, createdAt, revokedAt }: PublishableKey, isOfPage: boolean): Static<typeof Key> {
  return {
    id,
    location_id: locationId,
    of_store_page: isOfPage,
    revoked: revokedAt !== null,
    created_at: printSeconds(createdAt),
  };
}

export const dashboardPublishableKeyOperations = [
  operation({
    surface: 'dashboard',
    name: 'createPublishableKey',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    recentSignIn: true,
    summary: "Creates a publishable key for a location's online store. The key is shown only once.",
    body: Type.Object({ location_id: about('The location whose store will use the key.', text(64, { minLength: 1 })) }),
    example: { body: { location_id: SAMPLE_IDS.location_id } },
    response: Type.Object({
      key: about('What is known about the new key.', Key),
      publishable_key: about('The key. It is not secret, but shown only here.', Type.String()),
    }),
    async handle(context, { body: { location_id } }) {
      const { database, merchant } = context;
      requireLocationInBody(merchant, location_id, 'location_id');
      const { key, value } = await issueCredentials(database, async (issuing) => {
        const created = await createPublishableKey(issuing, merchant.id, location_id);
        await recordAudit(issuing.tx, {
          kind: 'PUBLISHABLE_KEY_CREATED',
          ...actorOf(context),
          details: { key_id: created.key.id, location_id },
        });
        return created;
      });
      return { key: toKey(key, false), publishable_key: value };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listPublishableKeys',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    summary: 'Lists the publishable keys of the merchant, including revoked ones, oldest first.',
    response: Type.Object({ keys: about('All keys of the business, with revoked ones.', Type.Array(Key)) }),
    async handle({ database, merchant, keyedHash }) {
      const keys = await listPublishableKeys(database.sql, merchant.id);
      return { keys: keys.map((key) => toKey(key, isPageKey(keyedHash, key))) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'revokePublishableKey',
    method: 'DELETE',
    path: `${PATH}/{key_id}`,
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Revokes a publishable key. Requests with it are refused.',
    response: Nothing,
    async handle(context, { params: { key_id } }) {
      const { database, merchant, invalidateCredentials } = context;
      const entry = { kind: 'PUBLISHABLE_KEY_REVOKED', ...actorOf(context), details: { key_id } } as const;
      const found = await changeAudited(database, entry, (tx) =>
        movePublishableKeyToRevoked(tx, merchant.id, key_id, realNow()),
      );
      if (!found) throw notFound('publishable key', key_id);
      invalidateCredentials(merchant.id);
      return {};
    },
  }),
];
