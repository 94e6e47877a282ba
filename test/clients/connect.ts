/** Types of the 2020 client for timecards and cash drawers, in addition to square-connect.d.ts. */
import SquareConnect, { type ApiClient, type Model, type ModelClass } from 'square-connect';

type Options = Readonly<Record<string, string | number | boolean | Date>>;

export interface WithHttpInfo<Data> {
  readonly data: Data;
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
}

export interface V1LaborApi {
  createTimecard(body: Model): Promise<Model>;
  createTimecardWithHttpInfo(body: Model): Promise<WithHttpInfo<Model>>;
  retrieveTimecard(timecardId: string): Promise<Model>;
  updateTimecard(timecardId: string, body: Model): Promise<Model>;
  /** The client returns the text of an empty object (contract 27). */
  deleteTimecard(timecardId: string): Promise<string>;
  listTimecards(options?: Options): Promise<Model[]>;
  listTimecardsWithHttpInfo(options?: Options): Promise<WithHttpInfo<Model[]>>;
  listTimecardEvents(timecardId: string): Promise<Model[]>;
  listCashDrawerShifts(locationId: string, options?: Options): Promise<Model[]>;
  listCashDrawerShiftsWithHttpInfo(locationId: string, options?: Options): Promise<WithHttpInfo<Model[]>>;
  retrieveCashDrawerShift(locationId: string, shiftId: string): Promise<Model>;
}

export interface CashDrawersApi {
  listCashDrawerShifts(locationId: string, options?: Options): Promise<{ items: Model[]; cursor?: string }>;
  retrieveCashDrawerShift(locationId: string, shiftId: string): Promise<{ cash_drawer_shift: Model }>;
  listCashDrawerShiftEvents(
    locationId: string,
    shiftId: string,
    options?: Options,
  ): Promise<{ events: Model[]; cursor?: string }>;
}

interface Package {
  readonly V1EmployeesApi: new (client: ApiClient) => V1LaborApi;
  readonly CashDrawersApi: new (client: ApiClient) => CashDrawersApi;
}

export function connectFor(baseUrl: string, token: string): { labor: V1LaborApi; drawers: CashDrawersApi } {
  const client = new SquareConnect.ApiClient();
  client.basePath = baseUrl;
  client.authentications.oauth2.accessToken = token;
  const { V1EmployeesApi, CashDrawersApi } = SquareConnect as unknown as Package;
  return { labor: new V1EmployeesApi(client), drawers: new CashDrawersApi(client) };
}

/** Every field that the client knows of a model. */
export function fieldsOf(model: string): string[] {
  const { prototype } = (SquareConnect as unknown as Record<string, ModelClass>)[model] ?? {};
  if (!prototype) throw new Error(`the client has no model ${model}`);
  return Object.keys(prototype).sort();
}

/** What the client rejects with: superagent's error, which has the status and the parsed body. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    await call;
  } catch (error) {
    const { status, response } = error as { status: number; response: { body: unknown } };
    return { status, body: response.body };
  }
  throw new Error('the call was not refused');
}

/** Plain data: the client wraps what it reads in its own classes. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
