/** What the nodes of a cluster send each other while a server works, as Citus reports it in notices. */
import { type Database, openDatabase } from '../../src/database/database.js';
import { type Statement, toDriverParameters } from './plans.js';
import { cloneDatabase, startTestServer, type TestMerchant, type TestServer } from './server.js';

export interface ObservedServer {
  readonly server: TestServer;
  /** Repeats `make` until it has made a merchant on another node than the coordinator: everything about it is a remote command. */
  makeRemote<Made>(make: () => Promise<Made>, merchantOf: (made: Made) => TestMerchant): Promise<Made>;
  /** What the nodes sent each other about the merchant: `read`, the name of a function, or the text of anything else. */
  commandsOf(merchant: TestMerchant, work: () => Promise<unknown>): Promise<readonly string[]>;
  /** The number of tasks of each statement about the merchant, according to its plan. A task is a statement on one shard. */
  countTasks(merchant: TestMerchant, work: () => Promise<unknown>): Promise<readonly number[]>;
  /** The number of tasks of each statement that reads credentials. */
  countTasksForCredentials(work: () => Promise<unknown>): Promise<readonly number[]>;
  stop(): Promise<void>;
}

const ISSUING = 'issuing ';
const TRANSACTION = /^(?:begin|commit|rollback|prepare|savepoint)/i;
/** The credentials in use are read in the background, all of them together. */
const isBackground = (text: string): boolean => /\bas hash\b/i.test(text);

export async function startObserved(): Promise<ObservedServer> {
  const clone = await cloneDatabase();
  const name = new URL(clone.url).pathname.slice(1);
  const database = openDatabase(clone.url, { maxConnections: 1, hasLongTimeouts: true });
  // On all nodes: Citus passes notices of other nodes on, so what those send is seen too.
  await database.sql.unsafe(`alter database ${name} set client_min_messages = log`);
  await database.sql.unsafe(`alter database ${name} set citus.log_remote_commands = on`);
  const statements: Statement[] = [];
  const commands: string[] = [];
  const server = await startTestServer({
    databaseUrl: clone.url,
    onStatement: (text, parameters) => statements.push({ text, parameters }),
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
  const countTasks = async (
    work: () => Promise<unknown>,
    isMeant: (statement: Statement) => boolean,
  ): Promise<readonly number[]> => {
    statements.length = 0;
    await work();
    const counts: number[] = [];
    for (const statement of statements.filter(isMeant)) counts.push(await countTasksOf(database, statement));
    return counts;
  };
  return {
    server,
    async makeRemote(make, merchantOf) {
      for (;;) {
        const made = await make();
        if (await isRemote(merchantOf(made))) return made;
      }
    },
    async commandsOf({ id }, work) {
      commands.length = 0;
      await work();
      return commands
        .filter((text) => (text.includes(id) && !isBackground(text)) || TRANSACTION.test(text))
        .map(nameOf);
    },
    countTasks: ({ id }, work) =>
      countTasks(work, ({ text, parameters }) => parameters.includes(id) && !isBackground(text)),
    countTasksForCredentials: (work) => countTasks(work, ({ text }) => isBackground(text)),
    async stop() {
      await server.stop();
      await database.close();
      await clone.drop();
    },
  };
}

async function countTasksOf({ sql }: Database, statement: Statement): Promise<number> {
  const lines = await sql.unsafe(`explain ${statement.text}`, toDriverParameters(statement) as never[]).values();
  const counts = lines.flat().map((line) => Number(/Task Count: (\d+)/.exec(String(line))?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

function nameOf(command: string): string {
  const [, called] = /^select tillhouse_[0-9a-f]{12}\.(\w+)\(/i.exec(command) ?? [];
  if (called !== undefined) return called;
  return /^select\b(?!.*\bfor (?:no key )?update\b)/is.test(command) ? 'read' : command;
}
