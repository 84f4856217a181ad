import assert from 'node:assert/strict';
import type { Client } from '../../../../src/api/client/client.ts';
import { askModel } from '../../../../src/commands/fix/askModel.ts';
import type { Proposal } from '../../../../src/commands/fix/failedRun.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

interface Asked {
  endpoint: string;
  messages: { role: string; content: string }[];
  signal: AbortSignal | undefined;
}

const error = 'ValueError: no';
const trace = [
  'Traceback (most recent call last):',
  '  File "/w/jobs/etl.py", line 2, in <module>\n    run()',
  '  File "/w/lib/own.py", line 1, in run\n    x',
  error,
].join('\n');
const files = {
  'etl.job.yml': plainJob,
  'jobs/etl.py': 'from own import run\nrun()\n',
  'lib/own.py': 'def run(): x\n',
  'notes.md': 'N\n',
};

describe('a model that is asked to mend a failure', () => {
  let asked: Asked[];
  beforeEach(() => void (asked = []));
  const { signal } = new AbortController();

  async function ask(
    content: unknown,
    present: Readonly<Record<string, string>> = files,
    output: Record<string, string> = { error, error_trace: trace },
  ): Promise<Proposal | string> {
    const inference = {
      chat: async (endpoint: string, { messages }: Pick<Asked, 'messages'>, options?: { signal?: AbortSignal }) => {
        asked.push({ endpoint, messages, signal: options?.signal });
        return content === undefined ? {} : { choices: [{ message: { role: 'assistant', content } }] };
      },
    };
    return askModel({ inference } as unknown as Client, 'coder', await failedRunOf(present, output), signal);
  }
  /** What the answer would change, and where. */
  async function changed(content: string, present = files): Promise<readonly [string, string] | string> {
    const made = await ask(content, present);
    return typeof made === 'string' ? made : [made.file.path, made.text];
  }

  it('is told what to answer, and gets the error, the files of the trace from within, and the job file', async () => {
    await ask('no');
    const [{ endpoint, messages, signal: given } = assert.fail()] = asked;
    assert.deepEqual([endpoint, given], ['coder', signal]);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user'],
    );
    assert.match(messages[0]?.content ?? '', /^A job failed\. .* unified diff of that file .* Change no other file\. /);
    assert.equal(
      messages[1]?.content,
      [
        `Error:\n${trace}\n${error}\n`,
        'It happened in lib/own.py, line 1.',
        'Parameters: null',
        'Files: etl.job.yml, jobs/etl.py, lib/own.py, notes.md',
        'lib/own.py:\n```\ndef run(): x\n\n```',
        'jobs/etl.py:\n```\nfrom own import run\nrun()\n\n```',
        `etl.job.yml:\n\`\`\`\n${plainJob}\n\`\`\``,
      ].join('\n\n'),
    );
  });

  it('gets the code of the task where nothing was raised, and the parameters', async () => {
    const job = plainJob.replace('  python_file: /jobs/etl.py\n', '  python_file: /jobs/etl.py\n  parameters: [a]\n');
    await ask('no', { ...files, 'etl.job.yml': job }, { error: 'It ended.', logs: 'written last' });
    const text = asked[0]?.messages[1]?.content ?? '';
    assert.match(text, /^Error:\nIt ended\.\n[^]*written last\n\nParameters: \["a"\]\n/);
    assert.match(text, /\n\njobs\/etl\.py:\n```\n[^]*\n\netl\.job\.yml:\n```\n/);
    assert.doesNotMatch(text, /It happened in|notes\.md:|own\.py:/);
  });

  it('gets the code of a notebook that the job names without an ending, and what the job gives it', async () => {
    const job =
      'name: n\nexisting_cluster_id: local\nnotebook_task:\n  notebook_path: /jobs/etl\n  base_parameters: {a: "1"}\n';
    await ask('no', { ...files, 'etl.job.yml': job }, { error: 'no' });
    const text = asked[0]?.messages[1]?.content ?? '';
    assert.match(text, /\n\nParameters: \{"a":"1"\}\n[^]*\n\njobs\/etl\.py:\n```\nfrom own/);
  });

  it('gets no more than six files, and the names of two hundred', async () => {
    const many = Object.fromEntries(Array.from({ length: 220 }, (_each, at) => [`f/${at}.py`, `# ${at}\n`]));
    const steps = Array.from({ length: 9 }, (_each, at) => `  File "/w/f/${at}.py", line 1, in x\n    x`).join('\n');
    await ask(
      'no',
      { ...files, ...many },
      { error, error_trace: `Traceback (most recent call last):\n${steps}\n${error}` },
    );
    const text = asked[0]?.messages[1]?.content ?? '';
    assert.deepEqual(
      [...text.matchAll(/^(\S+):\n```/gm)].map(([, name]) => name),
      ['f/8.py', 'f/7.py', 'f/6.py', 'f/5.py', 'f/4.py', 'f/3.py'],
    );
    assert.equal(/^Files: (.*)$/m.exec(text)?.[1]?.split(', ').length, 200);
  });

  it('changes the file that its diff names, as the workspace has it, also one that it was not shown', async () => {
    const diff = (path: string, line: string, now: string): string =>
      `It is x.\n\n\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${line}\n+${now}\n\`\`\`\n`;
    assert.deepEqual(await changed(diff('lib/own.py', 'def run(): x', 'def run(): y')), [
      'lib/own.py',
      'def run(): y\n',
    ]);
    assert.deepEqual(await changed(diff('own.py', 'def run(): x', 'def run(): y')), ['lib/own.py', 'def run(): y\n']);
    assert.deepEqual(await changed(diff('/notes.md', 'N', 'M')), ['notes.md', 'M\n']);
    assert.equal(await changed(diff('wn.py', 'def run(): x', 'y')), 'It is x.', 'no end of a name');
    assert.equal(await changed(diff('lib/own.py', 'def other()', 'y')), 'It is x.', 'other lines');
    const made = await ask(diff('notes.md', 'N', 'M'));
    assert.equal((made as Proposal).what, 'It is x.');
  });

  it('may give code instead: of the file that it names, else of the innermost', async () => {
    const code = '```python\ndef run(): z\n```';
    assert.deepEqual(await changed(`Broken.\n\n${code}\n`), ['lib/own.py', 'def run(): z\n']);
    assert.deepEqual(await changed('In `jobs/etl.py`:\n\n~~~python\nrun2()\n~~~\n'), ['jobs/etl.py', 'run2()\n']);
    assert.deepEqual(await changed('````\n```\ndef run(): z\n````\n'), ['lib/own.py', '```\ndef run(): z\n']);
    assert.equal(await changed('Broken.\n\n```python\ndef run(): x\n```\n'), 'Broken.', 'that is what it says already');
  });

  it('says its first sentence where it has no change, without its thoughts', async () => {
    assert.equal(await ask('\n  The disk is full.  \nMore.'), 'The disk is full.');
    assert.equal(await ask('<think>Hm.\n```\nx\n```\n</think>The disk is full.'), 'The disk is full.');
    assert.equal(await ask('```\nnot closed'), 'not closed');
    assert.equal(await ask('x'.repeat(400)), 'x'.repeat(300));
    for (const blank of ['', '\n', '  \n\t\n'])
      assert.equal(
        await changed(`The disk is full.\n\n\`\`\`python\n${blank}\`\`\`\n`),
        'The disk is full.',
        'no file is emptied',
      );
    for (const nothing of [undefined, null, '', '```\n```'])
      assert.equal(await ask(nothing), 'The model gave no usable answer.', String(nothing));
  });
});
