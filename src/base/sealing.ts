/**
 * Encrypts secrets that the server needs in clear text later, so a hash is not enough (decision 0184): AES-256-GCM with a random nonce. The
 * ids of the secret's record are authenticated with it, so an encrypted secret cannot be copied to another record.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SealedSecret {
  /** Names the key without revealing it. */
  readonly keyId: string;
  /** The nonce, the tag and the encrypted text. */
  readonly secret: Buffer;
}

/** A secret could not be encrypted or decrypted. The message says why. It contains no secret. */
export class UnopenedSecret extends Error {}

/** The first key encrypts. All of them decrypt. */
export class SealingKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** In base64. */
  constructor(keys: readonly string[]) {
    const decoded = keys.map((key) => Buffer.from(key, 'base64'));
    this.#keys = new Map(decoded.map((key) => [idOf(key), key]));
  }

  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** `about` are the ids of the record that the secret belongs to. */
  seal(secret: string, about: readonly string[]): SealedSecret {
    const [first] = this.#keys;
    if (!first) throw new UnopenedSecret(NO_KEY);
    const [keyId, key] = first;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toBytes(about));
    const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { keyId, secret: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]) };
  }

  open({ keyId, secret }: SealedSecret, about: readonly string[]): string {
    const key = this.#keys.get(keyId);
    if (!key) {
      throw new UnopenedSecret(
        this.#keys.size === 0
          ? NO_KEY
          : `TILLHOUSE_SECRETS_KEY does not have the key ${keyId} that encrypted the secret, only ${this.ids.join(', ')}`,
      );
    }
    const [nonce, tag, encrypted] = [
      secret.subarray(0, NONCE_BYTES),
      secret.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
      secret.subarray(NONCE_BYTES + TAG_BYTES),
    ];
    try {
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(toBytes(about)).setAuthTag(tag);
      return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new UnopenedSecret(
        `the secret was changed or belongs to another record: key ${keyId} does not decrypt it`,
        {
          cause,
        },
      );
    }
  }
}

const NO_KEY = 'TILLHOUSE_SECRETS_KEY is not set, so secrets of merchants can be neither encrypted nor decrypted';

function idOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('tillhouse secrets key\0'), key]), 'hex').slice(0, 12);
}

function toBytes(about: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(about));
}
