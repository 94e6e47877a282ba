/** Chooses the operating system account of the embedded PostgreSQL: the current one, or another one for root. */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as another account: the owner of the cluster, else `postgres`, else
 * `nobody`. Undefined means the current account, which must own the cluster.
 */
export async function chooseAccount(clusterFolder: string): Promise<SystemAccount | undefined> {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  const owner = await statIfPresent(clusterFolder);
  if (ownUid !== 0) {
    if (owner !== undefined && owner.uid !== ownUid) throw wrongOwner(clusterFolder, `user ${owner.uid}`);
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findUnprivilegedAccount();
}

/** The options with which `spawn` runs a program as that account. */
export function spawnAs(account: SystemAccount | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

export function wrongOwner(path: string, owner: string): Error {
  return new Error(
    `${path} belongs to ${owner}, and PostgreSQL only opens a data folder of its own account. ` +
      'Run Tillhouse as that account, or use another data folder.',
  );
}

async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    if (code === 'EACCES') throw wrongOwner(path, 'another user');
    throw error;
  }
}

async function findUnprivilegedAccount(): Promise<SystemAccount> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd has no account "postgres" or "nobody" to run it as. ' +
      'Add one, run Tillhouse as an ordinary user, or set DATABASE_URL.',
  );
}
