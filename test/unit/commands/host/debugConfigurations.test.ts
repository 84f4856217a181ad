import assert from 'node:assert/strict';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { registerDebugConfigurations, startDebugging } = await import('../../../../src/commands/host/createCommands.ts');

type Configuration = Record<string, unknown>;
interface Provider {
  provideDebugConfigurations(): Configuration[];
  resolveDebugConfiguration(folder: unknown, configuration: Configuration): Configuration | undefined;
  resolveDebugConfigurationWithSubstitutedVariables(
    folder: unknown,
    configuration: Configuration,
  ): Promise<Configuration | undefined>;
}

const own = { type: 'millrace', request: 'launch', name: 'Debug This Job File', job: '${file}' };
const launch = { name: 'Debug x on Local', jobId: '9007199254740993', parameters: {}, haltAtFailure: false };

describe('debug configurations', () => {
  holdTrail(import.meta.url);
  let provider: Provider;
  let prepared: string[];
  let failures: string[];
  let result: (() => Promise<typeof launch | undefined>) | undefined;

  beforeEach(() => {
    editor.reset();
    [prepared, failures, result] = [[], [], undefined];
    registerDebugConfigurations({
      async prepare(uri) {
        prepared.push(uri.toString());
        return result ? result() : launch;
      },
      presentFailure: (error, what) => void failures.push(`${what}: ${(error as Error).message}`),
    });
    provider = editor.providers['debugConfigurations'] as unknown as Provider;
  });

  const resolve = (configuration: Configuration): Promise<Configuration | undefined> =>
    provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, { ...own, ...configuration });

  it('write themselves, for the job file that is open', () => {
    assert.deepEqual(provider.provideDebugConfigurations(), [own]);
    assert.equal(provider.resolveDebugConfiguration(undefined, {}), undefined);
    standIn.window.activeTextEditor = { document: textFile('a.py', '', 'python') };
    assert.equal(provider.resolveDebugConfiguration(undefined, {}), undefined);
    standIn.window.activeTextEditor = { document: textFile('a.job.yml', '', 'millrace-job') };
    assert.deepEqual(provider.resolveDebugConfiguration(undefined, {}), own);
    const given = { type: 'millrace', request: 'launch', name: 'mine', job: 'x' };
    assert.deepEqual(provider.resolveDebugConfiguration(undefined, given), given);
  });

  it('deploy their job file and get its job, with the parameters that they name', async () => {
    const resolved = await resolve({ job: '/w/jobs/x.job.yml', parameters: { python_params: ['a'] } });
    assert.deepEqual(prepared, ['file:///w/jobs/x.job.yml']);
    assert.deepEqual([resolved?.['jobId'], resolved?.['parameters']], ['9007199254740993', { python_params: ['a'] }]);
    assert.deepEqual((await resolve({ job: '/w/x.job.yml' }))?.['parameters'], {});
  });

  it('find their file from the folder, and one that was never saved', async () => {
    const folder = { uri: standIn.Uri.file('/w') };
    await provider.resolveDebugConfigurationWithSubstitutedVariables(folder, { ...own, job: 'jobs/x.job.yml' });
    standIn.workspace.textDocuments = [{ uri: standIn.Uri.parse('untitled:Untitled-1') }] as never;
    await resolve({ job: 'Untitled-1' });
    assert.deepEqual(prepared, ['file:///w/jobs/x.job.yml', 'untitled:Untitled-1']);
  });

  it('start nothing where the user gives up, and say what went wrong', async () => {
    result = async () => undefined;
    assert.equal(await resolve({ job: '/x.job.yml' }), undefined);
    assert.deepEqual(failures, []);
    result = async () => {
      throw new Error('No service.');
    };
    assert.equal(await resolve({ job: '/x.job.yml' }), undefined);
    assert.equal(await resolve({ job: '' }), undefined);
    assert.deepEqual(failures, [
      'debug: No service.',
      'debug: The debug configuration "Debug This Job File" names no job file.',
    ]);
  });

  it('of a job that a command has chosen are taken as they are', async () => {
    await startDebugging(launch);
    const [, configuration] = editor.debugged[0] as [unknown, Configuration];
    assert.deepEqual(configuration, { type: 'millrace', request: 'launch', ...launch });
    assert.deepEqual(
      await provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, configuration),
      configuration,
    );
    for (const known of [{ jobId: '5' }, { runId: '7' }, { submit: {} }])
      assert.deepEqual(await resolve(known), { ...own, ...known });
    assert.deepEqual(prepared, []);
  });

  it('find their file by its whole path, open or not, on any system, and say what to name where they name none', async () => {
    const folder = { uri: standIn.Uri.file('/w') };
    standIn.workspace.textDocuments = [
      { uri: standIn.Uri.parse('vscode-vfs://host/w/open.job.yml') },
      { uri: standIn.Uri.file('/w/other.job.yml') },
    ] as never;
    const found = async (job: unknown): Promise<string | undefined> => {
      prepared.length = 0;
      await provider.resolveDebugConfigurationWithSubstitutedVariables(folder, { ...own, job: job as string });
      return prepared[0];
    };
    assert.equal(await found('/w/open.job.yml'), 'vscode-vfs://host/w/open.job.yml');
    assert.equal(await found('/x/a.job.yml'), 'file:///x/a.job.yml');
    assert.match((await found('C:\\x\\a.job.yml')) ?? '', /^file:\/\/.*C:.*a\.job\.yml$/);
    assert.doesNotMatch((await found('D:/x/a.job.yml')) ?? '', /\/w\//);
    assert.equal(await found('sub/C:/a.job.yml'), 'file:///w/sub/C:/a.job.yml');
    standIn.workspace.textDocuments = [];
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/first') }];
    await resolve({ job: 'a.job.yml' });
    assert.equal(prepared.at(-1), 'file:///first/a.job.yml', 'of the first folder where none is given');
    failures.length = 0;
    for (const job of ['', 7, undefined]) assert.equal(await found(job), undefined);
    assert.equal(failures.length, 3);
    assert.match(failures[0] ?? '', /The debug configuration "Debug This Job File" names no job file\.$/);
  });
});
