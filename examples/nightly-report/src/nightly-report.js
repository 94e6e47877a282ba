/** Adds up the sales of a location on one day, from all pages of v1 `listPayments`. */
import SquareConnect from 'square-connect';

/**
 * @param {{ baseUrl: string, accessToken: string }} connection
 * @param {{ locationId: string, begin: string, end: string }} day `end` is the beginning of the next day
 */
export async function reportSales({ baseUrl, accessToken }, { locationId, begin, end }) {
  const client = new SquareConnect.ApiClient();
  client.basePath = baseUrl;
  client.authentications.oauth2.accessToken = accessToken;
  const api = new SquareConnect.V1TransactionsApi(client);

  const report = { sales: 0, collected: 0, refunded: 0, fees: 0, byTender: {} };
  for await (const payment of everyPayment(api, { locationId, begin, end })) {
    report.sales += 1;
    report.collected += payment.total_collected_money.amount;
    report.refunded += payment.refunded_money.amount;
    report.fees += payment.processing_fee_money.amount;
    for (const { type, total_money } of payment.tender) {
      report.byTender[type] = (report.byTender[type] ?? 0) + total_money.amount;
    }
  }
  return report;
}

/** Follows the `Link` header: only it shows whether there is another page. */
async function* everyPayment(api, { locationId, begin, end }) {
  let batchToken;
  do {
    const options = { order: 'ASC', beginTime: begin, endTime: end, ...(batchToken && { batchToken }) };
    const { data, response } = await api.listPaymentsWithHttpInfo(locationId, options);
    yield* data;
    const next = /<([^>]+)>;\s*rel='next'/.exec(response.headers.link ?? '')?.[1];
    batchToken = next && new URL(next).searchParams.get('batch_token');
  } while (batchToken);
}
