import assert from 'node:assert/strict';
import { GuideChat } from '../../../support/guideChat.ts';
import { holdTrail } from '../../../support/trail.ts';
import { staging } from '../commandSetup.ts';
import { ChatToolBench } from './chatToolBench.ts';

describe('what models of the chat may call', () => {
  holdTrail(import.meta.url);
  let bench: ChatToolBench;
  const call: ChatToolBench['call'] = (...given) => bench.call(...given);
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('are told with schemas within the limits of a request', () => {
    const required = tools().tools.map(({ definition }) => [
      definition.function.name,
      definition.function.parameters['required'],
    ]);
    assert.deepEqual(Object.fromEntries(required), {
      list_jobs: undefined,
      get_job: ['job'],
      list_runs: undefined,
      get_run: ['run_id'],
      list_files: undefined,
      read_file: ['path'],
      run_job: ['job'],
    });
    for (const { definition } of tools().tools) {
      assert.match(definition.function.name, /^[a-z_]+$/);
      assert.ok(Object.keys(definition.function.parameters['properties'] as object).length <= 15);
    }
    assert.deepEqual(
      tools()
        .tools.filter(({ isChange }) => isChange)
        .map(({ definition }) => definition.function.name),
      ['run_job'],
    );
  });

  it('read files of the workspace', async () => {
    bench.texts = new Map([['jobs/etl.py', 'import x']]);
    assert.deepEqual(await call('list_files'), { files: ['jobs/etl.py'] });
    assert.deepEqual(await call('read_file', { path: 'jobs/etl.py' }), { path: 'jobs/etl.py', text: 'import x' });
    await assert.rejects(call('read_file', { path: 'none' }), /There is no file none/);
    const folders: string[] = [];
    bench.services.ui.workspaceFiles = async (folder) => (folders.push(folder), []);
    for (const folder of ['jobs', null, undefined]) await call('list_files', { folder });
    assert.deepEqual(folders, ['jobs', '', ''], 'all of them where none is named');
  });

  it('refuse what they do not know, and arguments that are wrong', async () => {
    const signal = new AbortController().signal;
    await assert.rejects(tools().run('toString', '{}', signal), /There is no function toString/);
    await assert.rejects(tools().run('get_run', '{"run', signal), /are no JSON/);
    await assert.rejects(tools().run('get_run', '{}', signal), /The arguments of get_run are wrong/);
    await assert.rejects(tools().run('list_runs', '{"state":"green"}', signal), /The arguments of list_runs are wrong/);
  });

  it('are what the guide answers from', async () => {
    bench.output = { error: "ModuleNotFoundError: No module named 'pandas'" };
    bench.profile = staging;
    const answers = new Map<string, unknown>();
    for (let round = 0; round < 3; round += 1) {
      const missing: [string, object][] = [];
      const chat = new GuideChat((name, given) => {
        const key = name + JSON.stringify(given);
        if (!answers.has(key)) missing.push([name, given]);
        return answers.get(key) ?? { error: 'not yet' };
      });
      const text = chat.ask('Why did hello fail?');
      if (missing.length === 0) {
        assert.match(text, /\*\*hello #8\*\* on Staging[\s\S]*no module `pandas`/);
        return;
      }
      for (const [name, given] of missing) answers.set(name + JSON.stringify(given), await call(name, given));
    }
    assert.deepEqual(
      [...answers.keys()],
      ['list_jobs{}', 'list_runs{"job":"1","state":"failed","limit":1}', 'get_run{"run_id":"8"}'],
    );
    const chat = new GuideChat((name, given) => answers.get(name + JSON.stringify(given)));
    assert.match(chat.ask('Why did hello fail?'), /\*\*hello #8\*\* on Staging[\s\S]*no module `pandas`/);
  });
});
