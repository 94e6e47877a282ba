/** Runs the writes of a queue one after another, each as its operation would run if the register was online (decision 0155). */
import { listFlagsOfWrites } from '../../access/devices/flag-queries.js';
import { findRegisterResponse, listSignIns, type SignIn } from '../../access/devices/queries.js';
import { MAX_DELAY_MS, RETRY_MS } from '../../access/devices/register-writes.js';
import { CLOCK_DIFFERENCE_MS, SIGN_IN_AGE_MS, wasNotLongBefore } from '../../access/devices/sign-in-times.js';
import { textOfWrite } from '../../access/devices/signed-text.js';
import { listSigningKeys, type SigningKey } from '../../access/devices/signing-key-queries.js';
import { wasSigned } from '../../access/devices/signing-keys.js';
import type { AttendantContext, DeviceContext } from '../../api/operation.js';
import { asRefusal, toError } from '../../api/render-error.js';
import type { Static } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { type Instant, instant, parseTime, printMilliseconds } from '../../base/time.js';
import { findRegisterSale } from '../sales/queries.js';
import type { RunnableOperation, RunnableOperations } from './kept-operations.js';
import {
  correctTime,
  decideWrite,
  differenceMs,
  type EmployeeFacts,
  isBackdated,
  type LatestActs,
  type WriteFacts,
  withAct,
} from './model.js';
import { findLatestActs, listEmployeeFacts } from './queries.js';
import type { Queue, QueueResults } from './register.view.js';

type Write = Static<typeof Queue>['writes'][number];
type Result = Static<typeof QueueResults>['results'][number];

/** What is looked up once for all writes of a queue. */
interface People {
  readonly employees: ReadonlyMap<string, EmployeeFacts>;
  readonly signIns: readonly SignIn[];
  readonly keys: readonly SigningKey[];
}

export async function runQueue(
  context: DeviceContext,
  operations: RunnableOperations,
  { sentAt, writes }: { readonly sentAt: Instant; readonly writes: readonly Write[] },
): Promise<Result[]> {
  const { database, merchant, device, now } = context;
  const people = await findPeople(context, writes);
  let latest = await findLatestActs(database.sql, merchant.id, device, instant(now - MAX_DELAY_MS));
  const results: Result[] = [];
  for (const write of writes) {
    const operation = operations.get(write.operation);
    if (!operation) throw new Error(`a queue cannot run ${write.operation}`);
    const at = correctTime(parseTime(write.occurred_at) ?? now, { sentAt, now });
    const result = await runWrite(context, operation, { write, sentAt, at, people, latest });
    if (result.status === 'ACCEPTED') latest = withAct(latest, write.operation, at);
    results.push(result);
  }
  const ids = writes.map(({ id }) => id);
  const flags = await listFlagsOfWrites(database.sql, merchant.id, device.id, ids);
  return results.map((result) => {
    const own = result.status === 'ACCEPTED' ? flags.get(result.id) : undefined;
    return own ? { ...result, flags: [...own] } : result;
  });
}

async function findPeople({ database, merchant, device }: DeviceContext, writes: readonly Write[]): Promise<People> {
  const { sql } = database;
  const employees = await listEmployeeFacts(sql, merchant.id, [...new Set(writes.map(idOfEmployee))]);
  const since = instant(realNow() - SIGN_IN_AGE_MS - MAX_DELAY_MS);
  const wanted = { employeeIds: [...employees.keys()], since };
  return {
    employees,
    signIns: await listSignIns(sql, merchant.id, device.id, wanted),
    keys: await listSigningKeys(sql, merchant.id, device.id, wanted),
  };
}

function idOfEmployee({ employee_id }: Write): string {
  return employee_id.toLowerCase();
}

interface SentWrite {
  readonly write: Write;
  readonly sentAt: Instant;
  /** The corrected time of the write. */
  readonly at: Instant;
  readonly people: People;
  /** What the register did before, with the writes of the queue that are accepted. */
  readonly latest: LatestActs;
}

/** A refusal becomes the result of its write only. A rate limit or server error fails the whole request, which the register repeats. */
async function runWrite(context: DeviceContext, operation: RunnableOperation, arrival: SentWrite): Promise<Result> {
  const { id } = arrival.write;
  try {
    return {
      id,
      status: 'ACCEPTED',
      response: (await run(context, operation, arrival)) as NonNullable<Result['response']>,
    };
  } catch (error) {
    const refusal = asRefusal(error);
    if (!refusal || refusal.meaning.status >= 500 || refusal.reason === 'RATE_LIMITED') throw error;
    const { sale } = refusal.beside as Pick<Result, 'sale'>;
    return { id, status: 'REFUSED', error: toError(refusal), ...(sale && { sale }) };
  }
}

async function run(context: DeviceContext, operation: RunnableOperation, arrival: SentWrite): Promise<unknown> {
  const { write, at } = arrival;
  const given = { ...write.body, id: write.id, occurred_at: printMilliseconds(at) };
  const body = operation.readBody(given);
  const params = await findReferences(context, operation, write);
  const acting = toAttendantContext(context, operation, arrival);
  return operation.handle(acting, { params, query: {}, body });
}

/** The context of the operation, with the employee whom the write names instead of one who is signed in. */
function toAttendantContext(
  context: DeviceContext,
  operation: RunnableOperation,
  { write, sentAt, at, people, latest }: SentWrite,
): AttendantContext {
  const { merchant, device, now } = context;
  if (operation.requires === 'EMPLOYEE_MANAGEMENT' && !merchant.approved) {
    throw new Refusal('FORBIDDEN', { detail: 'Employee management is available to approved accounts only.' });
  }
  const employeeId = idOfEmployee(write);
  const employee = people.employees.get(employeeId);
  const isSigned = isWriteSigned(context, { write, sentAt, people });
  const { flags, isLenient, keptCard, refusal } = decideWrite({
    ageMs: now - at,
    maxAgeMs: MAX_DELAY_MS,
    retryMs: RETRY_MS,
    correctionMs: now - sentAt,
    isBackdated: isBackdated(at, latest),
    locationId: device.locationId,
    employeeId,
    employee,
    wasSignedIn: wasSignedIn(people, employeeId, now - at),
    isSigned,
    permission: operation.rolePermission,
    ...moneyOf(write),
    acceptsCards: merchant.offlineCardLimit !== null,
  });
  const limit = keptCard && merchant.offlineCardLimit !== null && { cardLimit: merchant.offlineCardLimit };
  return {
    ...context,
    attendant: {
      employeeId,
      deviceId: device.id,
      merchantId: merchant.id,
      permissions: employee?.permissions ?? new Set(),
    },
    kept: { id: write.id, operation: write.operation, flags, isLenient, isSigned, refusal, ...limit },
  };
}

function wasSignedIn({ signIns }: People, employeeId: string, agoMs: number): boolean {
  return signIns.some((signIn) => signIn.employeeId === employeeId && wasNotLongBefore(signIn, agoMs));
}

/** Whether the employee signed exactly this, at this time. */
function isWriteSigned(
  { device, now }: DeviceContext,
  { write, sentAt, people }: Pick<SentWrite, 'write' | 'sentAt' | 'people'>,
): boolean {
  const { id, operation, employee_id, body, signature } = write;
  const [time, occurredAt] = [parseTime(signature?.time ?? ''), parseTime(write.occurred_at)];
  if (!signature || time === undefined || occurredAt === undefined) return false;
  if (differenceMs(time, occurredAt, { sentAt, now }) > CLOCK_DIFFERENCE_MS) return false;
  const signed = { deviceId: device.id, employeeId: employee_id, time: signature.time, operation, id, body };
  const text = textOfWrite(signed);
  return wasSigned(signature, { keys: people.keys, employeeId: idOfEmployee(write), text, now });
}

/** What goes out with a write, and what has yet to move. The body is not validated yet: what is not recognized here is refused by the operation. */
function moneyOf({ operation, body }: Write): Pick<WriteFacts, 'hasCards' | 'isRefundOrReturn' | 'isPaidOut'> {
  const { tenders, returns, type } = body as { tenders?: unknown; returns?: unknown; type?: unknown };
  const listed = Array.isArray(tenders) ? tenders : [];
  const types =
    operation === 'takeTender' ? [type] : listed.map((tender) => (tender as { type?: unknown } | null)?.type);
  return {
    hasCards: types.some((each) => each === 'CARD' || each === 'GIFT_CARD'),
    isRefundOrReturn: operation === 'issueRefund' || (Array.isArray(returns) && returns.length > 0),
    isPaidOut: operation === 'paidOut' || operation === 'cancelSale',
  };
}

/** The ids in the path of the operation. The register may use the ids that it chose itself. */
async function findReferences(
  context: DeviceContext,
  { references }: RunnableOperation,
  { body }: Write,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of references) {
    const given = body[name];
    if (typeof given !== 'string' || given === '') {
      throw new Refusal('MISSING_REQUIRED_PARAMETER', { field: name, detail: `${name} is required.` });
    }
    if (given.length > 300 || given.includes('\0') || !given.isWellFormed()) {
      throw new Refusal('INVALID_VALUE', { field: name, detail: `${name} is not an id.` });
    }
    found[name] = (await (name === 'sale_id' ? findSaleId(context, given) : findShiftId(context, given))) ?? given;
  }
  return found;
}

async function findSaleId({ database, merchant, device }: DeviceContext, id: string): Promise<string | undefined> {
  const key = { deviceId: device.id, registerSaleId: id };
  return (await findRegisterSale(database.sql, merchant.id, key))?.id;
}

/** The shift that a write with this id opened. */
async function findShiftId({ database, merchant, device }: DeviceContext, id: string): Promise<string | undefined> {
  const key = { deviceId: device.id, clientId: id };
  const response = await findRegisterResponse(database.sql, merchant.id, key);
  return (response as { cash_drawer_shift?: { id: string } } | undefined)?.cash_drawer_shift?.id;
}
