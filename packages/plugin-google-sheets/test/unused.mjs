// A process that has called Google and closes nothing: for unused.test.ts, which starts it.
import { googleSpreadsheets } from '@rowlock/plugin-google-sheets';

const rootUrl = process.env.ROOT_URL;
const spreadsheets = googleSpreadsheets({ auth: { accessToken: 'ya29' }, rootUrl });
const { spreadsheetId } = await spreadsheets.createFile({ title: 'Plan', appProperties: {} });
await spreadsheets.isWritten(spreadsheetId);
console.log('called');
