import assert from 'node:assert/strict';
import { applyCode } from '../../../../src/commands/fix/applyCode.ts';
import { holdTrail } from '../../../support/trail.ts';
import { Bench } from '../commandSetup.ts';

function bench(files: Record<string, string>): Bench {
  const made = new Bench();
  made.texts = new Map(Object.entries(files).map(([path, text]) => [`file:///w/${path}`, text]));
  return made;
}

describe('code of an answer that is applied', () => {
  holdTrail(import.meta.url);
  it('is shown as a comparison, and changes the file that the answer names when that is wanted', async () => {
    const made = bench({ 'jobs/x.py': 'x = 1\n', 'y.py': '' });
    made.picks = ['Discard', 'Apply'];
    await applyCode(made.services, { text: 'x = 2\n', language: 'python', path: 'x.py' });
    assert.equal(made.texts.get('file:///w/jobs/x.py'), 'x = 1\n');
    await applyCode(made.services, { text: 'x = 2\n', language: 'python', path: '/jobs/x.py' });
    assert.equal(made.texts.get('file:///w/jobs/x.py'), 'x = 2\n');
    assert.deepEqual(made.trail, ['review: x = 2\n', 'review: x = 2\n', 'replaced text']);
  });

  it('changes nothing that was not in the comparison: a file that is another one meanwhile stays as it is', async () => {
    const made = bench({ 'x.py': 'x = 1\n' });
    made.picks = ['Apply'];
    made.meanwhile = () => void made.texts.set('file:///w/x.py', 'x = 3\n');
    await assert.rejects(applyCode(made.services, { text: 'x = 2\n', language: '', path: 'x.py' }), /was not changed/);
    assert.equal(made.texts.get('file:///w/x.py'), 'x = 3\n');
  });

  it('goes to the file of the active editor where that is in its language, else to one that is asked for', async () => {
    const made = bench({ 'nightly.job.yml': 'name: a\n', 'a.py': '1\n', 'b/c.py': '2\n' });
    made.picks = ['Apply', 'b/c.py', 'Apply'];
    await applyCode(made.services, { text: 'name: b\n', language: 'yaml' });
    assert.equal(made.texts.get('file:///w/nightly.job.yml'), 'name: b\n');
    await applyCode(made.services, { text: '3\n', language: 'py' });
    assert.equal(made.texts.get('file:///w/b/c.py'), '3\n');
    await assert.rejects(
      applyCode(made.services, { text: '3', language: 'sql' }),
      /no file that this code could belong to/,
    );
  });

  it('asks which one is meant where several files end like the name, and refuses a name that is not there', async () => {
    const made = bench({ 'a/x.py': '1\n', 'b/x.py': '2\n' });
    made.picks = ['b/x.py', 'Apply'];
    await applyCode(made.services, { text: '3\n', language: '', path: 'x.py' });
    assert.equal(made.texts.get('file:///w/b/x.py'), '3\n');
    await assert.rejects(applyCode(made.services, { text: '3', language: '', path: '../x.py' }), /There is no file/);
  });

  it('changes nothing where the question of a file is given up', async () => {
    const made = bench({ 'nightly.job.yml': 'a: 1\n', 'a/x.py': '1\n', 'b/x.py': '2\n' });
    made.services.ui.pick = async () => undefined;
    await applyCode(made.services, { text: '3\n', language: 'yaml', path: 'x.py' });
    await applyCode(made.services, { text: '3\n', language: 'py' });
    assert.deepEqual(made.trail, []);
  });

  it('offers the files in its language, and each where nothing tells which', async () => {
    const files = {
      'nightly.job.yml': 'a: 1\n',
      'x.py': '1\n',
      'n.ipynb': '{}',
      'a.yaml': '',
      'a.json': '{}',
      'q.SQL': '',
      r: '',
    };
    const offered = async (language: string): Promise<string> => {
      const made = bench(files);
      let labels: string[] = [];
      // The file in front of the user is in no language that is asked for.
      made.services.ui.activeFile = async () => undefined;
      made.services.ui.pick = async (_title, _placeholder, items) => {
        labels = items.map(({ label }) => label);
        return undefined;
      };
      await applyCode(made.services, { text: '3\n', language });
      return labels.join(' ');
    };
    for (const [language, wanted] of [
      ['PySpark', 'x.py n.ipynb'],
      ['python3', 'x.py n.ipynb'],
      ['yml', 'nightly.job.yml a.yaml'],
      ['jsonc', 'n.ipynb a.json'],
      ['sql', 'q.SQL'],
      ['pythonic', Object.keys(files).join(' ')],
      ['', Object.keys(files).join(' ')],
    ] as const)
      assert.equal(await offered(language), wanted, language);
  });

  it('says where the file has it already, and where a diff is about other lines', async () => {
    const made = bench({ 'x.py': '1\n' });
    await applyCode(made.services, { text: '1', language: '', path: 'x.py' });
    assert.deepEqual(made.trail, ['info: x.py already says this.']);
    const diff = { text: '@@ -1 +1 @@\n-2\n+3', language: 'diff', path: 'x.py' };
    await assert.rejects(applyCode(made.services, diff), /does not have the lines that the diff changes/);
  });

  it('is refused in words where the workspace is not trusted', async () => {
    const made = bench({ 'x.py': '1\n' });
    made.isTrusted = false;
    await assert.rejects(applyCode(made.services, { text: '2', language: '', path: 'x.py' }), /is not trusted/);
    assert.deepEqual(made.trail, []);
  });
});
