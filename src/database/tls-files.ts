/** The files that a connection string names for TLS: whom to trust, and the certificate of this client. They mean what libpq says. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { UsageError } from '../base/config.js';

export interface TlsFiles {
  /** The certificates of the authorities that are trusted. Undefined: those that Node.js trusts. */
  readonly sslrootcert?: string | undefined;
  readonly sslcert?: string | undefined;
  readonly sslkey?: string | undefined;
  /** Opens the key. */
  readonly sslpassword?: string | undefined;
}

/** The values of libpq. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey', 'sslpassword'] as const;
/** Understood by the driver. */
const OTHERS = ['ssl', 'sslmode', 'sslnegotiation'];
const URL_NAME = '--database-url (DATABASE_URL)';

/** Checks the parameters, and takes those with files out: the driver would send them to PostgreSQL. */
export function takeTlsFiles(parameters: URLSearchParams): TlsFiles {
  const unknown = [...parameters.keys()].find(
    (name) => name.startsWith('ssl') && ![...FILES, ...OTHERS].includes(name),
  );
  if (unknown !== undefined) {
    throw new UsageError(
      `${URL_NAME} has ${unknown}, which is not supported. Of TLS it can have sslmode, ${FILES.join(', ')}.`,
    );
  }
  const mode = parameters.get('sslmode') ?? 'disable';
  if (!MODES.includes(mode)) {
    throw new UsageError(`${URL_NAME} has sslmode=${mode}, which is not one of ${MODES.join(', ')}.`);
  }
  const given = FILES.filter((name) => parameters.get(name));
  const files: TlsFiles = Object.fromEntries(given.map((name) => [name, parameters.get(name)]));
  for (const name of FILES) parameters.delete(name);
  const [first] = given;
  const isEncrypted = mode !== 'disable' || !['', 'false', 'disable'].includes(parameters.get('ssl') ?? '');
  if (first !== undefined && !isEncrypted) {
    throw new UsageError(`${URL_NAME} has ${first}, but no TLS: add sslmode=verify-full.`);
  }
  if ((files.sslcert === undefined) !== (files.sslkey === undefined)) {
    throw new UsageError(`${URL_NAME} must have both sslcert and sslkey, or neither.`);
  }
  if (files.sslrootcert !== 'system') return files;
  if (mode !== 'verify-full') {
    // Everybody can get a certificate of these authorities, for a name of their own.
    throw new UsageError(`${URL_NAME} has sslrootcert=system, which requires sslmode=verify-full.`);
  }
  return { ...files, sslrootcert: undefined };
}

/** Read for each connection, so that a renewed file needs no restart. */
export function readTlsFiles({ sslrootcert, sslcert, sslkey, sslpassword }: TlsFiles): SecureContextOptions {
  return {
    ...(sslrootcert !== undefined && { ca: readCertificates(sslrootcert, 'sslrootcert') }),
    ...(sslcert !== undefined && { cert: readCertificates(sslcert, 'sslcert').join('\n') }),
    ...(sslkey !== undefined && { key: readKey(sslkey, sslpassword) }),
  };
}

function readCertificates(path: string, name: string): string[] {
  const found = readText(path, name).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new UsageError(`${URL_NAME}: ${name}=${path} has no certificate in the PEM format.`);
  for (const [index, text] of found.entries()) {
    try {
      new X509Certificate(text);
    } catch {
      throw new UsageError(`${URL_NAME}: certificate ${index + 1} in ${name}=${path} is damaged.`);
    }
  }
  return [...found];
}

function readKey(path: string, passphrase: string | undefined): string {
  const key = readText(path, 'sslkey');
  try {
    return createPrivateKey({ key, ...(passphrase && { passphrase }) })
      .export({ type: 'pkcs8', format: 'pem' })
      .toString();
  } catch {
    throw new UsageError(
      `${URL_NAME}: sslkey=${path} is not a private key in the PEM format, or sslpassword does not open it.`,
    );
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${URL_NAME}: ${name}=${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
