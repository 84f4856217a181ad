import { createClient } from '../../src/api/client/index.ts';
import { FileIntentStore } from '../../src/connection/host/intentStore.ts';
import { scaledClock } from './scaledClock.ts';

// A process that asks for a run and is killed while it tries: `node intentChild.ts <url> <folder>`.
const [, , url = '', folder = ''] = process.argv;
const client = createClient({
  baseUrl: url,
  auth: { kind: 'bearer', token: 'token-of-the-test' },
  clock: scaledClock(300),
  intents: new FileIntentStore(folder),
  profile: 'test',
  limits: { headersInMs: 60_000 },
});
const answer = await client.jobs.runNow({ job_id: '9007199254740993', notebook_params: { a: 'b' } });
process.stdout.write(`${answer.run_id}\n`);
