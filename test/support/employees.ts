/** Employees and roles for tests, created over HTTP. */
import type { TestMerchant, TestServer } from './server.js';

export interface V1Employee {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role_ids: readonly string[];
  readonly authorized_location_ids: readonly string[];
  readonly email?: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly external_id?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface V1Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly is_owner: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export async function createEmployee(
  server: TestServer,
  { token }: TestMerchant,
  body: Record<string, unknown> = {},
): Promise<V1Employee> {
  const answer = await server.call('POST', '/v1/me/employees', {
    token,
    body: { first_name: 'Ana', last_name: 'Ruiz', ...body },
  });
  if (answer.status !== 200) throw new Error(`no employee: ${answer.text}`);
  return answer.body;
}

/** Creates them one after the other, so that their order is known. */
export async function createEmployees(
  server: TestServer,
  merchant: TestMerchant,
  bodies: readonly Record<string, unknown>[],
): Promise<V1Employee[]> {
  const made: V1Employee[] = [];
  for (const body of bodies) made.push(await createEmployee(server, merchant, body));
  return made;
}

export async function createRole(
  server: TestServer,
  { token }: TestMerchant,
  body: Record<string, unknown> = {},
): Promise<V1Role> {
  const answer = await server.call('POST', '/v1/me/roles', {
    token,
    body: { name: 'Cashier', permissions: ['REGISTER_VIEW_SUMMARY_REPORTS'], ...body },
  });
  if (answer.status !== 200) throw new Error(`no role: ${answer.text}`);
  return answer.body;
}
