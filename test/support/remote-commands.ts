/** What the nodes of a cluster send each other while a server works, as Citus reports it in notices. */
import { inject } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { cloneDatabase, startTestServer, type TestMerchant, type TestServer } from './server.js';

/** Whether the tests run on a cluster. */
export const isCluster = inject('nodeUrls').length > 1;

export interface ObservedServer {
  readonly server: TestServer;
  /** A new merchant whose rows are not on the coordinator, so that everything about them is a remote command. */
  createRemoteMerchant(body?: Record<string, unknown>): Promise<TestMerchant>;
  /** What was sent meanwhile about the merchant, and what begins, prepares and ends transactions on other nodes. */
  commandsOf(merchant: TestMerchant, work: () => Promise<unknown>): Promise<string[]>;
  stop(): Promise<void>;
}

const ISSUING = 'issuing ';
const TRANSACTION = /^(?:begin|commit|rollback|prepare|savepoint|assign)/i;

export async function startObserved(): Promise<ObservedServer> {
  const clone = await cloneDatabase();
  const name = new URL(clone.url).pathname.slice(1);
  const database = openDatabase(clone.url, { maxConnections: 1 });
  // On all nodes: Citus passes notices of other nodes on, so what those send is seen too.
  await database.sql.unsafe(`alter database ${name} set client_min_messages = log`);
  await database.sql.unsafe(`alter database ${name} set citus.log_remote_commands = on`);
  const commands: string[] = [];
  const server = await startTestServer({
    databaseUrl: clone.url,
    onNotice: (message) => {
      if (message.startsWith(ISSUING)) commands.push(message.slice(ISSUING.length).trim());
    },
  });

  const isRemote = async ({ id }: TestMerchant): Promise<boolean> => {
    const found = await database.sql`
      select from pg_dist_placement
      where shardid = get_shard_id_for_distribution_column('merchants', ${id}::text) and groupid <> 0`;
    return found.length > 0;
  };
  return {
    server,
    async createRemoteMerchant(body) {
      for (;;) {
        const merchant = await server.createMerchant(body);
        if (await isRemote(merchant)) return merchant;
      }
    },
    async commandsOf(merchant, work) {
      commands.length = 0;
      await work();
      return commands.filter((text) => text.includes(merchant.id) || TRANSACTION.test(text));
    },
    async stop() {
      await server.stop();
      await database.close();
      await clone.drop();
    },
  };
}
