/** The team in the dashboard: employees, roles (decision 0148), the status of employees (contract 3), and timecards. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { createEmployee, createRole } from '../../support/employees.js';
import type { ApiResponse } from '../../support/http.js';
import { idsOf, walkV2 } from '../../support/lists.js';
import { ensureDefined, mainLocation } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the team', () => {
  const EMPLOYEES = '/api/dashboard/employees';
  const ROLES = '/api/dashboard/roles';
  const UNKNOWN_ID = '018f3c0d-0e11-7222-8333-444455556666';

  let owner: TestOwner;

  beforeAll(async () => {
    // Frozen: times never tell two versions apart.
    owner = await createOwner(server, {
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: '2020-02-26T10:00:00Z', frozen: true },
    });
  });

  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

  async function create(path: string, body: Record<string, unknown>): Promise<ApiResponse['body']> {
    const answer = await owner.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.employee ?? answer.body.role;
  }

  const newEmployee = (body: Record<string, unknown> = {}) => create(EMPLOYEES, { first_name: 'Ana', ...body });
  const newRole = (body: Record<string, unknown> = {}) => create(ROLES, { name: 'Cashier', permissions: [], ...body });
  const put = (path: string, body: Record<string, unknown>) => owner.call('PUT', path, { body });
  const employee = async (id: string) => (await owner.call('GET', `${EMPLOYEES}/${id}`)).body.employee;
  const role = async (id: string) => (await owner.call('GET', `${ROLES}/${id}`)).body.role;
  const v1 = async (path: string) => (await server.call('GET', `/v1/me/${path}`, { token: owner.merchant.token })).body;

  describe('dashboard.createEmployee', () => {
    it('creates an active employee with all fields, whom both generations show', async () => {
      const { id: role_id } = await newRole();
      const location_ids = [owner.merchant.locationIds[1] ?? ''];
      const body = {
        first_name: 'Ana',
        last_name: 'Ruiz',
        email: 'ana@example.com',
        phone_number: '+12065550100',
        external_id: 'HR-9',
        role_id,
        location_ids,
      };
      const made = await newEmployee(body);
      expect(made).toMatchObject({ ...body, status: 'ACTIVE', is_owner: false });
      expect(await employee(made.id)).toEqual(made);
      expect(await v1(`employees/${made.id}`)).toMatchObject({
        first_name: 'Ana',
        email: 'ana@example.com',
        external_id: 'HR-9',
        role_ids: [role_id],
        authorized_location_ids: location_ids,
        status: 'ACTIVE',
      });
      expect((await newEmployee({ status: 'INACTIVE' })).status).toBe('INACTIVE');
    });

    it.each([
      [{ first_name: '' }, 'VALUE_EMPTY', 'first_name'],
      [{ first_name: 'x'.repeat(256) }, 'VALUE_TOO_LONG', 'first_name'],
      [{ email: 'nobody' }, 'VALUE_REGEX_MISMATCH', 'email'],
      [{ phone_number: '555-0100' }, 'VALUE_REGEX_MISMATCH', 'phone_number'],
      [{ role_id: 'nothing' }, 'INVALID_VALUE', 'role_id'],
      [{ location_ids: ['nowhere'] }, 'INVALID_VALUE', 'location_ids'],
      [{ status: 'GONE' }, 'INVALID_ENUM_VALUE', 'status'],
    ])('refuses %j at its field', async (change, code, field) => {
      const before = (await owner.call('GET', EMPLOYEES)).body.employees.length;
      const answer = await owner.call('POST', EMPLOYEES, { body: { first_name: 'Ana', ...change } });
      expect(refusal(answer)).toEqual([400, code, field]);
      expect((await owner.call('GET', EMPLOYEES)).body.employees).toHaveLength(before);
    });
  });

  describe('dashboard.updateEmployee', () => {
    it('replaces the fields: what is absent becomes empty', async () => {
      const { id: role_id } = await newRole();
      const made = await newEmployee({ last_name: 'Ruiz', email: 'a@b.example', role_id, external_id: 'X' });
      const { status, body } = await put(`${EMPLOYEES}/${made.id}`, { version: made.version, first_name: 'Anna' });
      expect(status).toBe(200);
      const { version, email, role_id: gone, external_id, last_name, ...rest } = made;
      expect(body.employee).toEqual({ ...rest, first_name: 'Anna', last_name: '', version: expect.any(String) });
      expect(body.employee.version).not.toBe(version);
      expect([email, gone, external_id, last_name]).not.toContain(undefined);
    });

    it('refuses a version that is not the current one, and changes nothing', async () => {
      const made = await newEmployee();
      const path = `${EMPLOYEES}/${made.id}`;
      const first = await put(path, { version: made.version, first_name: 'First' });
      expect(first.status).toBe(200);
      const second = await put(path, { version: made.version, first_name: 'Second' });
      expect([...refusal(second), second.body.errors[0].detail]).toEqual([
        ...[409, 'CONFLICT', undefined],
        'Somebody has changed this employee meanwhile.',
      ]);
      expect(await employee(made.id)).toEqual(first.body.employee);
      const again = await put(path, { version: first.body.employee.version, first_name: 'Second' });
      expect(again.body.employee.first_name).toBe('Second');
    });

    it('counts changes of applications and of the status as changes, and an equal edit as none', async () => {
      const made = await newEmployee({ last_name: 'Ruiz' });
      const path = `${EMPLOYEES}/${made.id}`;
      const same = await put(path, { version: made.version, first_name: 'Ana', last_name: 'Ruiz' });
      expect(same.body.employee).toEqual(made);
      const { token } = owner.merchant;
      await server.call('PUT', `/v1/me/employees/${made.id}`, { token, body: { last_name: 'Diaz' } });
      expect((await put(path, { version: made.version, first_name: 'Ana' })).status).toBe(409);
      const { version } = await employee(made.id);
      await owner.call('POST', `${path}/deactivate`);
      expect((await put(path, { version, first_name: 'Ana' })).status).toBe(409);
      expect((await employee(made.id)).last_name).toBe('Diaz');
    });

    it('lets one of many concurrent edits of a version win', async () => {
      const made = await newEmployee();
      const names = ['A', 'B', 'C', 'D', 'E'];
      const answers = await Promise.all(
        names.map((first_name) => put(`${EMPLOYEES}/${made.id}`, { version: made.version, first_name })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
      const won = answers.find(({ status }) => status === 200);
      expect(await employee(made.id)).toEqual(won?.body.employee);
    });

    it('returns 404 for an unknown employee, whatever the version', async () => {
      const answer = await put(`${EMPLOYEES}/${UNKNOWN_ID}`, { version: '1', first_name: 'Ana' });
      expect(answer.status).toBe(404);
    });
  });

  describe('the owner', () => {
    it('can be edited, but not deactivated', async () => {
      const { id } = await newEmployee({ last_name: 'Owner' });
      await server.database.sql`update employees set is_owner = true where employee_id = ${id}`;
      const { version } = await employee(id);
      const answer = await owner.call('POST', `${EMPLOYEES}/${id}/deactivate`);
      expect([answer.status, answer.body.errors[0].detail]).toEqual([
        400,
        'The owner of the business cannot be deactivated.',
      ]);
      expect((await employee(id)).status).toBe('ACTIVE');
      expect((await put(`${EMPLOYEES}/${id}`, { version, first_name: 'Boss' })).status).toBe(200);
    });
  });

  describe('dashboard.retrieveEmployee', () => {
    it('says whether the employee has a passcode, and never shows it', async () => {
      const { id } = await newEmployee();
      const shown = async () => (await owner.call('GET', `${EMPLOYEES}/${id}`)).body;
      expect((await shown()).has_passcode).toBe(false);
      await owner.call('PUT', `${EMPLOYEES}/${id}/passcode`, { body: { passcode: '2468' } });
      const { has_passcode, employee: found } = await shown();
      expect([has_passcode, Object.keys(found).filter((name) => name.includes('pass'))]).toEqual([true, []]);
    });
  });

  describe('dashboard.listEmployees', () => {
    it('filters by role and location', async () => {
      const { id: role_id } = await newRole();
      const [, two = ''] = owner.merchant.locationIds;
      const withRole = await newEmployee({ role_id });
      const there = await newEmployee({ location_ids: [two] });
      const list = async (query: string) =>
        (await owner.call('GET', `${EMPLOYEES}?${query}`)).body.employees.map(({ id }: { id: string }) => id);
      expect(await list(`role_id=${role_id}`)).toEqual([withRole.id]);
      expect(await list(`location_id=${two}&limit=200`)).toContain(there.id);
      expect(await list(`location_id=${two}&limit=200`)).not.toContain(withRole.id);
    });
  });

  describe('roles', () => {
    it('are created, listed with the number of employees, and edited by version', async () => {
      const own = await createOwner(server);
      const body = { name: 'Manager', permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ISSUE_REFUNDS'] };
      const { role: made } = (await own.call('POST', ROLES, { body })).body;
      expect(made).toMatchObject({
        name: 'Manager',
        permissions: ['REGISTER_ISSUE_REFUNDS'],
        is_owner: false,
        employees: 0,
      });
      await createEmployee(server, own.merchant, { role_ids: [made.id] });
      expect((await own.call('GET', ROLES)).body).toEqual({ roles: [{ ...made, employees: 1 }] });

      const path = `${ROLES}/${made.id}`;
      const edit = { version: made.version, name: 'Chief', permissions: [], is_owner: true };
      const changed = await own.call('PUT', path, { body: edit });
      expect(changed.body.role).toMatchObject({ name: 'Chief', permissions: [], is_owner: true, employees: 1 });
      expect(refusal(await own.call('PUT', path, { body: { ...edit, name: 'Late' } }))).toEqual([
        409,
        'CONFLICT',
        undefined,
      ]);
      expect((await own.call('GET', path)).body).toEqual(changed.body);
    });

    it('get a new version when an application changes them', async () => {
      const made = await createRole(server, owner.merchant);
      const { version } = await role(made.id);
      const { token } = owner.merchant;
      await server.call('PUT', `/v1/me/roles/${made.id}`, { token, body: { name: 'Cashier' } });
      expect((await role(made.id)).version).toBe(version);
      await server.call('PUT', `/v1/me/roles/${made.id}`, { token, body: { name: 'Other' } });
      expect((await put(`${ROLES}/${made.id}`, { version, name: 'Mine', permissions: [] })).status).toBe(409);
    });

    it('are deleted if nobody has them', async () => {
      const used = await newRole();
      const person = await newEmployee({ role_id: used.id });
      const answer = await owner.call('DELETE', `${ROLES}/${used.id}`);
      expect([answer.status, answer.body.errors[0].detail]).toEqual([
        400,
        'An employee has this role. Give everybody who has it another role first.',
      ]);
      expect(await role(used.id)).toBeDefined();
      await put(`${EMPLOYEES}/${person.id}`, { version: person.version, first_name: 'Ana' });
      expect((await owner.call('DELETE', `${ROLES}/${used.id}`)).status).toBe(200);
      expect((await owner.call('DELETE', `${ROLES}/${used.id}`)).status).toBe(404);
      expect((await server.call('GET', `/v1/me/roles/${used.id}`, { token: owner.merchant.token })).status).toBe(404);
    });

    it('are deleted or given to an employee, never both, if both are requested at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const { id } = await newRole();
        const [given, deleted] = await Promise.all([
          owner.call('POST', EMPLOYEES, { body: { first_name: 'Ana', role_id: id } }),
          owner.call('DELETE', `${ROLES}/${id}`),
        ]);
        expect([given.status, deleted.status].sort()).toEqual([200, 400]);
      }
    });

    it.each([
      [{ name: '' }, 'VALUE_EMPTY', 'name'],
      [{ permissions: ['REGISTER_FLY'] }, 'INVALID_ENUM_VALUE', 'permissions'],
      [{ permissions: undefined }, 'MISSING_REQUIRED_PARAMETER', 'permissions'],
    ])('refuse %j at its field', async (change, code, field) => {
      const answer = await owner.call('POST', ROLES, { body: { name: 'Cashier', permissions: [], ...change } });
      expect(refusal(answer)).toEqual([400, code, field]);
    });
  });
});

describe('the timecards of the team', () => {
  const CARDS = '/api/dashboard/timecards';
  const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';

  /** Hours after 2020-02-26T10:00:00Z. */
  const hour = (count: number): string =>
    new Date(1_582_711_200_000 + count * 3_600_000).toISOString().replace('.000', '');

  interface Office {
    readonly owner: TestOwner;
    readonly employeeId: string;
    create(body?: Record<string, unknown>): Promise<{ id: string; updated_at: string; clockout_time?: string }>;
    retrieve(cardId: string): Promise<unknown>;
    events(cardId: string): Promise<{ event_type: string }[]>;
    clock(now: string): Promise<unknown>;
  }

  /** An owner at the dashboard of a merchant with one employee. The clock is frozen at 10:00:00. */
  async function openOffice(): Promise<Office> {
    const owner = await createOwner(server, {
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: hour(0), frozen: true },
    });
    const { merchant } = owner;
    const { id: employeeId } = await createEmployee(server, merchant);
    const v1 = async (method: string, rest: string, body?: unknown) =>
      (await server.call(method, `/v1/me/timecards${rest}`, { token: merchant.token, body })).body;
    return {
      owner,
      employeeId,
      create: (body = {}) => v1('POST', '', { employee_id: employeeId, ...body }),
      retrieve: (cardId) => v1('GET', `/${cardId}`),
      events: (cardId) => v1('GET', `/${cardId}/events`),
      clock: (now) => changeClock(server, merchant.id, { now }),
    };
  }

  const PAST = { clockin_time: hour(-9), clockout_time: hour(-1) };
  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
  const kinds = async (office: Office, cardId: string) =>
    (await office.events(cardId)).map(({ event_type }) => event_type);

  describe('dashboard.listTimecards', () => {
    it('returns cards newest first, as v1 shows them, and filters by employee and by deleted', async () => {
      const office = await openOffice();
      const { owner, create, retrieve } = office;
      const other = await createEmployee(server, owner.merchant);
      const [one, two, three] = [await create(PAST), await create({ ...PAST, employee_id: other.id }), await create()];
      await owner.call('DELETE', `${CARDS}/${one.id}`);
      const list = async (query = '') => (await owner.call('GET', `${CARDS}${query}`)).body;
      const deleted = await retrieve(one.id);
      expect(await list()).toMatchObject({ timecards: [three, two, deleted] });
      expect(await list(`?employee_id=${other.id}`)).toMatchObject({ timecards: [two] });
      expect(await list('?deleted=true')).toMatchObject({ timecards: [deleted] });
      expect(await list('?deleted=false')).toMatchObject({ timecards: [three, two] });
      expect(await list(`?deleted=true&employee_id=${other.id}`)).toEqual({ timecards: [] });
      expect(await list(`?employee_id=${UNKNOWN_ID}`)).toEqual({ timecards: [] });
    });

    it('returns pages by cursor, 50 by default and 200 at most', async () => {
      const { owner, create } = await openOffice();
      const { id } = await create(PAST);
      await server.database.sql`
      insert into timecards (
        merchant_id, timecard_id, employee_id, clockin_at, clockout_at, deleted, created_at, updated_at
      )
      select merchant_id, gen_random_uuid(), employee_id, clockin_at, clockout_at, deleted, created_at, updated_at
      from timecards, generate_series(1, 209)
      where timecard_id = ${id}`;
      const sizes = async (parameters: Record<string, string>) => {
        const pages = await walkV2({ get: (path) => owner.call('GET', path), path: CARDS, parameters });
        expect(new Set(pages.flatMap(({ body }) => idsOf(body.timecards))).size).toBe(210);
        return pages.map(({ body }) => body.timecards.length);
      };
      expect(await sizes({})).toEqual([50, 50, 50, 50, 10]);
      expect(await sizes({ limit: '1000' })).toEqual([200, 10]);
    });
  });

  describe('dashboard.updateTimecard', () => {
    it('changes times and locations and writes DASHBOARD_EDIT, also when it clocks out', async () => {
      const office = await openOffice();
      const { owner, create, clock, retrieve } = office;
      const card = await create();
      await clock(hour(5));
      const place = mainLocation(owner.merchant);
      const body = {
        clockin_time: hour(-1),
        clockout_time: hour(4),
        clockin_location_id: place,
        clockout_location_id: place,
      };
      const answer = await owner.call('PUT', `${CARDS}/${card.id}`, { body });
      const expected = { ...card, ...body, updated_at: hour(5), regular_seconds_worked: 5 * 3600 };
      expect([answer.status, answer.body.timecard]).toEqual([200, { ...expected, version: expect.any(String) }]);
      expect(await retrieve(card.id)).toEqual(expected);
      expect(await office.events(card.id)).toMatchObject([
        { event_type: 'API_CREATE' },
        { event_type: 'DASHBOARD_EDIT', clockin_time: hour(-1), clockout_time: hour(4), created_at: hour(5) },
      ]);
    });

    it('writes an event also if nothing differs, and never reopens a closed card (decision 0021)', async () => {
      const office = await openOffice();
      const card = await office.create(PAST);
      await office.clock(hour(1));
      for (const body of [card, {}, { clockout_time: null }]) {
        const answer = await office.owner.call('PUT', `${CARDS}/${card.id}`, { body });
        expect([answer.status, answer.body.timecard]).toMatchObject([200, { ...card, updated_at: hour(1) }]);
      }
      expect(await kinds(office, card.id)).toEqual(['API_CREATE', ...Array(3).fill('DASHBOARD_EDIT')]);
    });

    it('refuses another employee, naming employee_id', async () => {
      const { owner, create, employeeId } = await openOffice();
      const path = `${CARDS}/${(await create(PAST)).id}`;
      const other = await createEmployee(server, owner.merchant);
      const put = (employee_id: string) => owner.call('PUT', path, { body: { employee_id } });
      expect(refusal(await put(other.id))).toEqual([400, 'INVALID_VALUE', 'employee_id']);
      expect((await put(employeeId)).status).toBe(200);
    });

    it('refuses what v1 refuses: times in the wrong order, invalid locations, deleted cards', async () => {
      const { owner, create } = await openOffice();
      const path = `${CARDS}/${(await create(PAST)).id}`;
      const put = async (body: Record<string, unknown>) => refusal(await owner.call('PUT', path, { body }));
      expect(await put({ clockout_time: hour(-10) })).toEqual([400, 'INVALID_VALUE', 'clockout_time']);
      expect(await put({ clockin_location_id: 'LNOWHERE00000' })).toEqual([
        400,
        'INVALID_VALUE',
        'clockin_location_id',
      ]);
      expect(await put({ clockin_time: 'noon' })).toEqual([400, 'INVALID_TIME', 'clockin_time']);
      await owner.call('DELETE', path);
      expect(await put({ clockin_time: hour(-8) })).toEqual([400, 'BAD_REQUEST', undefined]);
    });
  });

  describe('dashboard.closeTimecard', () => {
    it.each([
      ['now', {}, hour(6)],
      ['at the given time', { clockout_time: `${hour(3).slice(0, -1)}.999Z` }, hour(3)],
    ])(
      'clocks out an employee who forgot to, %s, and writes DASHBOARD_SUPERVISOR_CLOSE (contract 6)',
      async (_when, body, clockout_time) => {
        const office = await openOffice();
        const card = await office.create();
        await office.clock(hour(6));
        const answer = await office.owner.call('POST', `${CARDS}/${card.id}/close`, { body });
        expect([answer.status, answer.body.timecard]).toMatchObject([
          200,
          {
            ...card,
            clockout_time,
            updated_at: hour(6),
            regular_seconds_worked: (Date.parse(clockout_time) - Date.parse(hour(0))) / 1000,
          },
        ]);
        expect(await office.events(card.id)).toMatchObject([
          { event_type: 'API_CREATE' },
          { event_type: 'DASHBOARD_SUPERVISOR_CLOSE', clockout_time, created_at: hour(6) },
        ]);
      },
    );

    it('refuses a card that is already closed, even at the same time, and a deleted one', async () => {
      const office = await openOffice();
      const { owner, create } = office;
      const [closed, deleted] = [await create(PAST), await create()];
      await owner.call('DELETE', `${CARDS}/${deleted.id}`);
      for (const body of [{}, { clockout_time: hour(-1) }, { clockout_time: hour(3) }]) {
        for (const { id } of [closed, deleted]) {
          const answer = await owner.call('POST', `${CARDS}/${id}/close`, { body });
          expect(refusal(answer)).toEqual([400, 'BAD_REQUEST', undefined]);
        }
      }
      expect(await kinds(office, closed.id)).toEqual(['API_CREATE']);
      expect(await kinds(office, deleted.id)).toEqual(['API_CREATE', 'DASHBOARD_DELETE']);
    });

    it('refuses a time before the clock-in', async () => {
      const { owner, create } = await openOffice();
      const { id } = await create();
      const answer = await owner.call('POST', `${CARDS}/${id}/close`, { body: { clockout_time: hour(-1) } });
      expect(refusal(answer)).toEqual([400, 'INVALID_VALUE', 'clockout_time']);
    });

    it('allows the employee to clock in again', async () => {
      const { owner, create } = await openOffice();
      const { id } = await create();
      await owner.call('POST', `${CARDS}/${id}/close`, { body: {} });
      expect((await create()).id).not.toBe(id);
    });
  });

  describe('dashboard.deleteTimecard', () => {
    it('deletes once, with DASHBOARD_DELETE, and returns 200 {} again; the card stays readable (contract 3)', async () => {
      const office = await openOffice();
      const { owner, create, clock, retrieve } = office;
      const card = await create(PAST);
      for (const at of [1, 2]) {
        await clock(hour(at));
        const answer = await owner.call('DELETE', `${CARDS}/${card.id}`);
        expect([answer.status, answer.text]).toEqual([200, '{}']);
      }
      expect(await retrieve(card.id)).toEqual({ ...card, deleted: true, updated_at: hour(1) });
      expect(await kinds(office, card.id)).toEqual(['API_CREATE', 'DASHBOARD_DELETE']);
      expect(await office.events(card.id)).toMatchObject([{}, { ...PAST, created_at: hour(1) }]);
    });
  });

  describe('the dashboard operations on timecards', () => {
    const OPERATIONS: readonly (readonly [string, string])[] = [
      ['PUT', `${CARDS}/CARD`],
      ['POST', `${CARDS}/CARD/close`],
      ['DELETE', `${CARDS}/CARD`],
    ];

    it.each(OPERATIONS)(
      "%s %s return 404 for an unknown card, and for another merchant's (decision 0015)",
      async (method, path) => {
        const { owner } = await openOffice();
        const theirs = await openOffice();
        const foreign = await theirs.create();
        for (const id of [UNKNOWN_ID, 'nothing', foreign.id]) {
          const answer = await owner.call(method, path.replace('CARD', id), { body: { clockout_time: hour(1) } });
          expect([answer.status, answer.body.errors[0].detail]).toEqual([
            404,
            `There is no timecard with the id ${id}.`,
          ]);
        }
        expect(await kinds(theirs, foreign.id)).toEqual(['API_CREATE']);
      },
    );

    it.each([['GET', CARDS] as const, ...OPERATIONS])(
      '%s %s requires the owner of an approved merchant: 401, 403 (decisions 0020, 0052)',
      async (method, path) => {
        const office = await openOffice();
        const { owner, create } = office;
        const { id } = await create();
        const address = path.replace('CARD', id);
        const options = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
        expect((await server.call(method, address, options)).status).toBe(401);
        expect((await server.call(method, address, { ...options, token: owner.merchant.token })).status).toBe(401);
        await server.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: false });
        expect(refusal(await owner.call(method, address, options))).toEqual([403, 'FORBIDDEN', undefined]);
        await server.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: true });
        expect(await kinds(office, id)).toEqual(['API_CREATE']);
      },
    );

    it('write their three types of events after those of the API, in order', async () => {
      const office = await openOffice();
      const { owner, create, clock } = office;
      const { id } = await create();
      const { token } = owner.merchant;
      await server.call('PUT', `/v1/me/timecards/${id}`, { token, body: { clockin_time: hour(-1) } });
      await clock(hour(1));
      await owner.call('PUT', `${CARDS}/${id}`, { body: { clockin_time: hour(-2) } });
      await owner.call('POST', `${CARDS}/${id}/close`, { body: {} });
      await owner.call('DELETE', `${CARDS}/${id}`);
      expect(await kinds(office, id)).toEqual([
        'API_CREATE',
        'API_EDIT',
        'DASHBOARD_EDIT',
        'DASHBOARD_SUPERVISOR_CLOSE',
        'DASHBOARD_DELETE',
      ]);
      expect(ensureDefined((await office.events(id)).at(-1))).toMatchObject({
        clockin_time: hour(-2),
        clockout_time: hour(1),
      });
    });
  });
});
