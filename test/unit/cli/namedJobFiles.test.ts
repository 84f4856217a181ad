import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { mock } from 'node:test';
import { check, namedJobFiles, positioned, schema } from '../../../src/cli/check.ts';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { output } from '../../../src/cli/print.ts';
import type { Problem } from '../../../src/jobfile/yaml/problem.ts';
import { AppError } from '../../../src/shared/errors.ts';

describe('the job files that a command is given', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-named-'));
    for (const path of [
      'b.job.yml',
      'a.job.yaml',
      'c.job.json',
      'd.yml',
      'job.yml',
      'e.job.yml.bak',
      'below/f.job.yml',
      'node_modules/g.job.yml',
      'below/node_modules/deep/h.job.yml',
      'my_node_modules/i.job.yml',
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    mkdirSync(join(folder, 'k.job.yml'));
    mkdirSync(join(folder, 'empty'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'below', 'l.job.yml'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const named = async (...paths: string[]): Promise<string[]> =>
    [
      ...(await namedJobFiles(
        'check',
        paths.map((path) => join(folder, path)),
      )),
    ].map((path) => path.slice(folder.length + 1));

  it('are those of a folder and below it, in order, without those of packages', async () => {
    assert.deepEqual(await named('.'), [
      'a.job.yaml',
      'b.job.yml',
      join('below', 'f.job.yml'),
      join('below', 'l.job.yml'),
      'c.job.json',
      join('my_node_modules', 'i.job.yml'),
    ]);
  });

  it('are those that are named, as they are named, each once', async () => {
    assert.deepEqual(await named('d.yml', 'none', 'b.job.yml', 'd.yml', 'below'), [
      'd.yml',
      'none',
      'b.job.yml',
      join('below', 'f.job.yml'),
      join('below', 'l.job.yml'),
    ]);
  });

  it('are at least one', async () => {
    await assert.rejects(namedJobFiles('check', []), isUsageError);
    await assert.rejects(named('empty'), (error) => {
      assert.ok(error instanceof AppError);
      assert.match(error.message, /^There is no job file in .*empty; nothing was done\.$/);
      assert.equal(error.remedy, 'Name the files, or a folder with files such as etl.job.yml.');
      return error.kind === 'invalid';
    });
  });
});

describe('job files that are checked', () => {
  let folder: string;
  let written: string[];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-checked-'));
    const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\n';
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    write('good.job.yml', job);
    write('warned.job.yml', `${job}max_retrys: 1\nname: a # millrace-ignore\n`);
    write('wished.job.yml', `${job}timeout_seconds: soon # millrace-ignore\nmax_retrys: 1 # millrace-ignore\n`);
    write('two.job.yml', `max_retrys: 1\n${job}ä: 1\ntimeout_seconds: soon\n`);
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    written = [];
    mock.method(output, 'write', (text: string) => written.push(text));
  });
  afterEach(() => mock.reset());
  const checked = async (words: readonly string[], signal = new AbortController().signal): Promise<unknown[]> => {
    written = [];
    const parameters = words.map((word) => (word.endsWith('.yml') ? join(folder, word) : word));
    const code = await check({ parameters, token: undefined, signal });
    return [code, written.join('').replaceAll(folder + sep, '')];
  };

  it('are told with each problem at its place, in the order of the text, and end as an error has them end', async () => {
    assert.deepEqual(await checked(['good.job.yml']), [0, '1 file: 0 errors, 0 warnings\n']);
    const [code, told] = await checked(['two.job.yml', 'good.job.yml']);
    assert.equal(code, 1);
    assert.deepEqual(
      String(told)
        .split('\n')
        .map((line) => line.replace(/^(\S+ \w+): .*(\[\w+\])$/, '$1 $2')),
      [
        'two.job.yml:1:1: warning [unknownField]',
        'two.job.yml:4:1: warning [unknownField]',
        'two.job.yml:5:18: error [wrongType]',
        '2 files: 1 error, 2 warnings',
        '',
      ],
    );
  });

  it('have the errors that are wished away, and none of the rest', async () => {
    const [code, told] = await checked(['wished.job.yml', '--json']);
    assert.deepEqual(
      (JSON.parse(String(told)) as { severity: string; code: string; line: number }[]).map((found) => [
        found.severity,
        found.code,
        found.line,
      ]),
      [['error', 'wrongType', 3]],
    );
    assert.equal(code, 1);
    assert.deepEqual((await checked(['warned.job.yml']))[0], 0);
  });

  it('are told in the form that is wanted, and in one alone', async () => {
    assert.deepEqual(await checked(['good.job.yml', '--json', '--format', 'json']), [0, '[]\n']);
    assert.deepEqual(await checked(['good.job.yml', '--format', 'github']), [0, '']);
    for (const words of [
      ['--json', '--format', 'text'],
      ['--format', 'xml'],
      ['--format', 'toString'],
    ])
      await assert.rejects(checked(['good.job.yml', ...words]), isUsageError, words.join(' '));
  });

  it('are looked at no longer than is wanted', async () => {
    await assert.rejects(checked(['good.job.yml'], AbortSignal.abort(new Error('stopped'))), /stopped/);
    assert.deepEqual(written, []);
  });

  it('have a schema, which takes nothing', async () => {
    const invocation = { token: undefined, signal: new AbortController().signal };
    assert.equal(await schema({ ...invocation, parameters: [] }), 0);
    assert.equal((JSON.parse(written.join('')) as { title: string }).title, 'Millrace job file');
    assert.match(written.join(''), /^\{\n {2}"\$schema"[^]*\n\}\n$/);
    await assert.rejects(schema({ ...invocation, parameters: ['a'] }), isUsageError);
  });

  it('have places that count from 1, in UTF-16 units', () => {
    const problem = (start: number): Problem => ({ code: 'x', message: 'm', start, end: start + 1, severity: 'error' });
    const text = 'a😀b\n\nc\r\nd';
    assert.deepEqual(
      positioned('f', text, [0, 3, 4, 5, 6, 9].map(problem)).map(({ line, column }) => [line, column]),
      [
        [1, 1],
        [1, 4],
        [1, 5],
        [2, 1],
        [3, 1],
        [4, 1],
      ],
    );
    assert.deepEqual(positioned('f', text, [problem(0)]), [
      { file: 'f', line: 1, column: 1, severity: 'error', code: 'x', message: 'm' },
    ]);
  });
});
