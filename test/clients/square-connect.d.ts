/** The part of `square-connect`, which has no types, that the tests use. Models hold what the server sent. */
declare module 'square-connect' {
  type Model = Record<string, unknown>;
  type Options = Readonly<Record<string, string | number | Date>>;

  interface WithHttpInfo<Data> {
    readonly data: Data;
    readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  }

  interface ModelClass {
    /** Has a key for every field of the model. */
    readonly prototype: Model;
  }

  class ApiClient {
    static instance: ApiClient;
    basePath: string;
    authentications: { oauth2: { accessToken?: string } };
  }

  class V1EmployeesApi {
    constructor(client?: ApiClient);
    createEmployee(body: Model): Promise<Model>;
    retrieveEmployee(id: string): Promise<Model>;
    updateEmployee(id: string, body: Model): Promise<Model>;
    listEmployees(options?: Options): Promise<Model[]>;
    listEmployeesWithHttpInfo(options?: Options): Promise<WithHttpInfo<Model[]>>;
    createEmployeeRole(role: Model): Promise<Model>;
    retrieveEmployeeRole(id: string): Promise<Model>;
    updateEmployeeRole(id: string, body: Model): Promise<Model>;
    listEmployeeRoles(options?: Options): Promise<Model[]>;
    listEmployeeRolesWithHttpInfo(options?: Options): Promise<WithHttpInfo<Model[]>>;
  }

  class V1LocationsApi {
    constructor(client?: ApiClient);
    retrieveBusiness(): Promise<Model>;
    listLocations(): Promise<Model[]>;
  }

  class EmployeesApi {
    constructor(client?: ApiClient);
    listEmployees(options?: Options): Promise<{ employees: Model[]; cursor?: string }>;
    retrieveEmployee(id: string): Promise<{ employee: Model }>;
  }

  class LocationsApi {
    constructor(client?: ApiClient);
    listLocations(): Promise<{ locations: Model[] }>;
    retrieveLocation(id: string): Promise<{ location: Model }>;
  }

  class MerchantsApi {
    constructor(client?: ApiClient);
    listMerchants(options?: Options): Promise<{ merchant: Model[]; cursor?: number }>;
    retrieveMerchant(id: string): Promise<{ merchant: Model }>;
  }

  const package_: {
    readonly ApiClient: typeof ApiClient;
    readonly V1EmployeesApi: typeof V1EmployeesApi;
    readonly V1LocationsApi: typeof V1LocationsApi;
    readonly EmployeesApi: typeof EmployeesApi;
    readonly LocationsApi: typeof LocationsApi;
    readonly MerchantsApi: typeof MerchantsApi;
    readonly V1Employee: ModelClass;
    readonly V1EmployeeRole: ModelClass;
    readonly V1Merchant: ModelClass;
    readonly V1PhoneNumber: ModelClass;
    readonly V1MerchantLocationDetails: ModelClass;
    readonly Employee: ModelClass;
    readonly Merchant: ModelClass;
    readonly Location: ModelClass;
    readonly Address: ModelClass;
    readonly BusinessHoursPeriod: ModelClass;
    readonly Coordinates: ModelClass;
  };

  export type { ApiClient, Model, ModelClass };
  export default package_;
}
