import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { registerJobFile } = await import('../../../../src/jobfile/host/registerJobFile.ts');
await import('../../../../src/jobfile/host/jobFileFeatures.ts');

describe('the job file language, before it is wanted', () => {
  let language: ReturnType<typeof registerJobFile> | undefined;
  let mayHaveMoved: boolean;
  let errors: string[];
  let state: object | undefined;
  let connections: FakeConnections;
  let isBroken: boolean;
  const listed = new Emitter<void>();
  const changed = new Emitter<void>();
  const start = (): void => {
    language = registerJobFile({
      get connections() {
        if (isBroken) throw new Error('gone');
        return connections;
      },
      log: { ...silentLogger, error: (text: string, error: unknown) => void errors.push(`${text} ${String(error)}`) },
      deployments: {
        stateOf: () => state as never,
        files: () => (state ? ['file:///work/a.job.yml'] : []),
        mayHaveMoved: () => mayHaveMoved,
        firstSeen: () => ({ ms: 77, age: '3 min ago' }),
        onDidChange: changed.event,
        onDidListJobs: listed.event,
      },
    } as never);
  };
  const isLoaded = (): boolean => Object.keys(editor.providers).length > 0;
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  };
  const named = (name: string, languageId: string): object =>
    Object.assign(textFile(`file:///work/${name}`, '', languageId), { fileName: `/work/${name}` });
  beforeEach(() => {
    editor.reset();
    standIn.workspace.textDocuments = [];
    [mayHaveMoved, errors, state, isBroken] = [false, [], undefined, false];
    connections = new FakeConnections();
  });
  afterEach(() => language?.dispose());

  it('is not loaded for other files', async () => {
    standIn.workspace.textDocuments = [named('a.job.json', 'plaintext'), named('b.json', 'json')] as never;
    start();
    editor.events.opened.fire(named('c.yml', 'yaml') as never);
    listed.fire();
    await settle();
    assert.equal(isLoaded(), false);
    assert.equal(language?.changesElsewhere.seenMs('1'), undefined);
  });

  for (const [name, id] of [
    ['a.job.yml', 'millrace-job'],
    ['a.job.json', 'json'],
  ] as const) {
    it(`is loaded by ${name}, one that is open and one that is opened`, async () => {
      standIn.workspace.textDocuments = [named('b.json', 'json'), named(name, id)] as never;
      start();
      await eventually(() => assert.equal(isLoaded(), true));
      language?.dispose();
      editor.reset();
      standIn.workspace.textDocuments = [];
      start();
      await settle();
      assert.equal(isLoaded(), false);
      editor.events.opened.fire(named(name, id) as never);
      await eventually(() => assert.equal(isLoaded(), true));
    });
  }

  it('is tried again with the next job file where it could not be loaded, which is told', async () => {
    isBroken = true;
    start();
    const file = named('a.job.yml', 'millrace-job') as never;
    editor.events.opened.fire(file);
    await eventually(() => assert.deepEqual(errors, ['The job file language could not be loaded. Error: gone']));
    assert.equal(isLoaded(), false);
    isBroken = false;
    editor.events.opened.fire(file);
    await eventually(() => assert.equal(isLoaded(), true));
    assert.equal(errors.length, 1);
  });
});
