import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import './pastedJson.part.ts';

const { createJobFileFeatures } = await import('../../../../src/jobfile/host/jobFileFeatures.ts');

type Ask<T> = (...args: unknown[]) => Promise<T>;

describe('what the job file language is given', () => {
  const { language } = standIn.env;
  let errors: unknown[][];
  let connections: FakeConnections;
  let features: ReturnType<typeof createJobFileFeatures>;
  const start = (): void => {
    const log = { ...silentLogger, error: (...told: unknown[]) => void errors.push(told) };
    features = createJobFileFeatures({ connections, log: log as never });
  };
  beforeEach(() => {
    editor.reset();
    errors = [];
    connections = new FakeConnections({ jobs: { list: async () => [{ job_id: '42', settings: { name: 'etl' } }] } });
  });
  afterEach(() => {
    features.dispose();
    standIn.env.language = language;
    mock.restoreAll();
  });

  it('is the service, whose jobs it completes', async () => {
    start();
    const complete = editor.providers['completion']?.['provideCompletionItems'] as unknown as Ask<{
      items: { label: string }[];
    }>;
    const file = textFile('file:///work/a.job.yml', 'run_job_task:\n  job_id: ');
    const { items } = await complete(file, new standIn.Position(1, 10), cancellation().token);
    assert.ok(
      items.some(({ label }) => label.includes('42') || label.includes('etl')),
      items.map(({ label }) => label).join(),
    );
  });

  it('is the language of the editor, in which times are said', async () => {
    standIn.env.language = 'de';
    start();
    const hints = editor.providers['hints']?.['provideInlayHints'] as unknown as Ask<{ label: string }[]>;
    const schedule = 'schedule:\n  quartz_cron_expression: 0 0 8 1 1 ? 2099\n  timezone_id: UTC\n';
    const file = textFile('file:///work/a.job.yml', schedule);
    const [hint] = await hints(file, new standIn.Range(0, 0, 9, 0), cancellation().token);
    assert.match(hint?.label ?? '', /Jan\. 2099|Januar 2099|1\.1\.2099|01\.01\.2099/);
  });

  it('is the log, which is told why a file could not be checked', async () => {
    start();
    const file = textFile('file:///work/a.job.yml', 'name: a\n');
    const broken = new Error('broken');
    mock.method(file, 'getText', () => {
      throw broken;
    });
    editor.events.opened.fire(file);
    await eventually(() => assert.deepEqual(errors, [['A job file could not be checked.', broken]]));
  });

  it('is let go with all that listens', () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    start();
    assert.ok('paste' in editor.providers && 'formatting' in editor.providers);
    assert.deepEqual([features.drift, editor.providers['decorations']], [undefined, undefined]);
    assert.equal(connections.isHeard, true);
    features.dispose();
    assert.deepEqual([editor.providers, connections.isHeard], [{}, false]);
  });
});
