import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formats, type FoundProblem } from '../../../src/cli/checkFormats.ts';
import { readJobFile } from '../../../src/cli/deployFile.ts';
import { readMarkedText, readText } from '../../../src/cli/print.ts';
import { workspaceRootOf } from '../../../src/cli/workspaceRoot.ts';
import { ownPlace, runInPlace } from './ownPlace.ts';
import { runProgram } from './program.ts';

const good = 'name: fine\nexisting_cluster_id: local\nspark_python_task: {python_file: /main.py}\n';

const bad = `max_retrys: 3\n${good}  timeout_seconds: soon\n`.replace('  timeout', 'timeout');

describe('millrace check', function () {
  this.timeout(120_000);
  const place = ownPlace();
  let folder: string;
  beforeEach(() => {
    ({ folder } = place);
    writeFileSync(join(folder, 'good.job.yml'), good);
    writeFileSync(join(folder, 'bad.job.yml'), bad);
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    writeFileSync(join(folder, 'deep', 'er', 'one.job.yaml'), good);
    writeFileSync(join(folder, 'deep', 'other.yml'), 'a: [');
    writeFileSync(join(folder, 'warned.job.yml'), `${good}max_retrys: 3\n`);
    writeFileSync(join(folder, 'wished.job.yml'), `${good}max_retrys: 3 # millrace-ignore\n`);
    writeFileSync(join(folder, 'empty.job.yml'), '');
    mkdirSync(join(folder, 'nothing'));
  });
  const check = (...line: string[]) => runInPlace(place, 'check', line);

  it('ends with 0 without errors, despite warnings', async () => {
    assert.deepEqual(await check('good.job.yml'), { code: 0, out: '1 file: 0 errors, 0 warnings\n', err: '' });
    assert.equal((await check('good.job.yml', '--format', 'json')).code, 0);
    const warned = await check('warned.job.yml');
    assert.match(
      warned.out,
      /^warned\.job\.yml:4:1: warning: max_retrys .*Did you mean max_retries\? \[unknownField\]\n/,
    );
    assert.match(warned.out, /\n1 file: 0 errors, 1 warning\n$/);
    assert.equal(warned.code, 0);
  });

  it('reports each problem with its place as JSON, and ends with 1', async () => {
    const { code, out } = await check('bad.job.yml', '--json');
    const { problems: found, next } = JSON.parse(out) as { problems: Record<string, unknown>[]; next: string };
    assert.equal(next, 'millrace check bad.job.yml');
    assert.deepEqual(
      found.map(({ file, line, column, severity, code: rule }) => [file, line, column, severity, rule]),
      [
        ['bad.job.yml', 1, 1, 'warning', 'unknownField'],
        ['bad.job.yml', 5, 18, 'error', 'wrongType'],
      ],
    );
    assert.deepEqual(Object.keys(found[0] ?? {}), ['file', 'line', 'column', 'severity', 'code', 'message']);
    assert.equal(code, 1);
  });

  it('finds job files in folders, and reports an empty file', async () => {
    assert.match((await check('deep')).out, /^1 file: 0 errors/);
    const wished = JSON.parse((await check('wished.job.yml', '--json')).out) as object;
    assert.deepEqual(wished, { files: 1, problems: [], next: 'millrace run wished.job.yml' });
    assert.match((await check('.')).out, /\n6 files: 2 errors, 2 warnings\n$/);
    const empty = await check('empty.job.yml');
    assert.deepEqual([empty.code, /empty\.job\.yml:1:1: error: /.test(empty.out)], [1, true]);
  });

  it('writes SARIF and GitHub annotations', async () => {
    const sarif = JSON.parse((await check('bad.job.yml', 'good.job.yml', '--format', 'sarif')).out) as {
      version: string;
    };
    assert.equal(sarif.version, '2.1.0');
    const { out, code } = await check('bad.job.yml', '--format', 'github');
    assert.match(out, /^::warning file=bad\.job\.yml,line=1,col=1,title=unknownField::max_retrys .*\n::error file=/);
    assert.equal(code, 1);
  });

  it('follows links and checks a file once', async () => {
    const links = join(folder, 'links');
    mkdirSync(links);
    try {
      symlinkSync(join(folder, 'bad.job.yml'), join(links, 'a.job.yml'));
      symlinkSync(join(folder, 'nowhere.job.yml'), join(links, 'b.job.yml'));
      const { code, out } = await check('links', join('links', 'a.job.yml'), '--json');
      const { problems: found } = JSON.parse(out) as { problems: { file: string; code: string }[] };
      assert.deepEqual(
        [code, ...found.map(({ file, code: rule }) => `${file} ${rule}`)],
        [
          1,
          `${join('links', 'a.job.yml')} unknownField`,
          `${join('links', 'a.job.yml')} wrongType`,
          `${join('links', 'b.job.yml')} unreadable`,
        ],
      );
    } finally {
      rmSync(links, { recursive: true });
    }
  });

  it('checks the jobs in a file of a bundle', async () => {
    const file = join(folder, 'nothing', 'bundle.job.yml');
    const job = 'run_job_task: {job_id: "${resources.jobs.other.id}"}';
    writeFileSync(file, `resources:\n  jobs:\n    nightly: {${job}, timeout_seconds: soon}\n    weekly: {${job}}\n`);
    try {
      const { code, out } = await check('nothing');
      assert.deepEqual([code, out.match(/\[\w+\]/g)], [1, ['[wrongType]']]);
    } finally {
      rmSync(file);
    }
  });

  it('refuses text that is not UTF-8', async () => {
    const file = join(folder, 'nothing', 'a.job.yml');
    try {
      writeFileSync(file, Buffer.from(good.replace('fine', 'caf\u00e9'), 'latin1'));
      assert.match((await check('nothing')).out, /a\.job\.yml:1:1: error: .*it is not UTF-8; .* \[unreadable\]\n/);
      writeFileSync(file, `\ufeff${bad}`);
      assert.match((await check('nothing')).out, /a\.job\.yml:1:1: warning: max_retrys/);
    } finally {
      rmSync(file);
    }
  });

  it('reports an unreadable file and a folder without job files', async () => {
    const { code, out } = await check('good.job.yml', 'none.job.yml', '--format', 'json');
    assert.deepEqual(
      [code, (JSON.parse(out) as { problems: { code: string }[] }).problems[0]?.code],
      [1, 'unreadable'],
    );
    const nothing = await check('nothing');
    assert.deepEqual([nothing.code, /There is no job file in nothing/.test(nothing.err)], [1, true]);
  });

  it('prints the JSON Schema', async () => {
    const { code, out } = await runProgram(folder, ['schema']);
    assert.deepEqual([code, (JSON.parse(out) as { title: string }).title], [0, 'Millrace job file']);
  });
});

describe('wrong usage of millrace', function () {
  this.timeout(120_000);
  const place = ownPlace();
  beforeEach(() => {
    const { folder } = place;
    writeFileSync(join(folder, 'a.job.yml'), good);
    writeFileSync(join(folder, 'cluster.job.yml'), 'name: x\nrun_job_task: {job_id: 1}\n');
    writeFileSync(
      join(folder, 'book.job.yml'),
      'name: x\nexisting_cluster_id: local\nnotebook_task: {notebook_path: /b}\n',
    );
  });

  const functions = { check: 'check', deploy: 'deployCommand', run: 'runFile', runs: 'printRuns', logs: 'showLogs' };
  for (const [[name, ...parameters], why] of [
    [['check'], /check needs the files/],
    [['check', 'a.job.yml', '--format', 'xml'], /--format xml is not one of text, json, sarif, github/],
    [['check', 'a.job.yml', '--json', '--format', 'text'], /cannot be combined/],
    [['check', 'a.job.yml', '--yes'], /Unknown option '--yes'/],
    [['deploy'], /deploy needs the files to deploy/],
    [['deploy', 'a.job.yml', '--plan', '--yes'], /--plan deploys nothing/],
    [['deploy', 'a.job.yml', '--token', 'x'], /Unknown option '--token'/],
    [['deploy', 'a.job.yml', '--url', 'http://127.0.0.1:9', '--data', 'd'], /--root and --data belong to the local/],
    [['deploy', 'a.job.yml', '--url'], /argument missing/],
    [['deploy', 'a.job.yml', '--data', 'a.job.yml'], /the data folder .*a\.job\.yml could not be created/],
    [['deploy', 'a.job.yml', '--root', 'nowhere'], /the folder .*nowhere does not exist/],
    [['run', 'cluster.job.yml', '--param', 'a=b'], /takes no parameters/],
    [['run', 'book.job.yml', '--param', 'b'], /--param b is not NAME=VALUE/],
    [['runs', '--limit', 'all'], /--limit all is not a whole number/],
    [['logs'], /logs needs the id of one run/],
    [['logs', 'latest'], /latest is not the id of a run/],
  ] as const)
    it(`${[name, ...parameters].join(' ')} ends with 2 and says why`, async () => {
      const { code, out, err } = await runInPlace(place, functions[name], parameters);
      assert.match(err, why);
      assert.deepEqual([code, out], [2, '']);
    });

  for (const [line, why] of [
    [['bogus'], /"bogus" is not a command; there are check, deploy, pull, run, /],
    [['toString'], /"toString" is not a command/],
    [['runs', '--url', 'service.example'], /^The address in --url is not an http or https address\. .*https:\/\/host/],
    [['runs', '--url', 'http://me:secret@host'], /^The address in --url contains a user name or password\. /],
    [['schema', 'x'], /schema takes nothing/],
    [['serve'], /--root and --data are required/],
  ] as const)
    it(`${line.join(' ')} ends with 2 and says why`, async () => {
      const { code, out, err } = await runProgram(place.folder, line);
      assert.match(err, why);
      assert.deepEqual([code, out], [2, '']);
    });
});

describe('the formats of a check', () => {
  const found = (file: string, severity: FoundProblem['severity'], more: Partial<FoundProblem> = {}): FoundProblem => ({
    ...{ file, line: 2, column: 3, severity, code: 'rule', message: 'It is wrong.' },
    ...more,
  });
  const all = (['error', 'warning', 'information', 'hint'] as const).map((severity) => found('a.job.yml', severity));

  it('print text without terminal control sequences', () => {
    assert.equal(formats.text(all, ['a', 'b']).split('\n').at(-2), '2 files: 1 error, 1 warning');
    assert.equal(
      formats.text(all.slice(0, 1), ['a']),
      'a.job.yml:2:3: error: It is wrong. [rule]\n1 file: 1 error, 0 warnings\n',
    );
    const told = formats.text([found('b\x1b[2J.job.yml', 'error', { message: 'one\ntwo' })], ['b']);
    assert.deepEqual([told.includes('\x1b'), told.split('\n').length], [false, 3]);
    assert.equal(formats.text([], ['a', 'b', 'c']), '3 files: 0 errors, 0 warnings\n');
  });

  it('write SARIF for any file name', () => {
    const other = found('dir/#1 ä:b?.job.yml', 'error', { code: 'another' });
    const absolute = found(resolve('/x y/c.job.yml'), 'error');
    const [run] = (
      JSON.parse(formats.sarif([...all, other, absolute])) as {
        runs: {
          tool: { driver: { rules: { id: string }[] } };
          columnKind: string;
          results: {
            ruleId: string;
            ruleIndex: number;
            level: string;
            message: object;
            locations: { physicalLocation: { artifactLocation: { uri: string }; region: object } }[];
          }[];
        }[];
      }
    ).runs;
    assert.equal(run?.columnKind, 'utf16CodeUnits');
    assert.deepEqual(run?.results[0]?.message, { text: 'It is wrong.' });
    assert.deepEqual(run?.tool.driver.rules, [{ id: 'another' }, { id: 'rule' }]);
    assert.deepEqual(
      run?.results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level]),
      [
        ...['error', 'warning', 'note', 'note'].map((level) => ['rule', 1, level]),
        ['another', 0, 'error'],
        ['rule', 1, 'error'],
      ],
    );
    const places = run?.results.map(({ locations }) => locations[0]!.physicalLocation);
    assert.deepEqual(places?.[0], {
      artifactLocation: { uri: 'a.job.yml' },
      region: { startLine: 2, startColumn: 3 },
    });
    assert.deepEqual(
      places?.slice(4).map(({ artifactLocation }) => artifactLocation.uri),
      ['dir/%231%20%C3%A4%3Ab%3F.job.yml', pathToFileURL(resolve('/x y/c.job.yml')).href],
    );
  });

  it('escape GitHub annotations', () => {
    assert.deepEqual(
      formats
        .github(all)
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, line.indexOf(' '))),
      ['::error', '::warning', '::notice', '::notice'],
    );
    const odd = found('a,b:c%.yml', 'error', { code: 'x,y:z', message: '50%: one\r\ntwo, three' });
    assert.equal(
      formats.github([odd]),
      '::error file=a%2Cb%3Ac%25.yml,line=2,col=3,title=x%2Cy%3Az::50%25: one%0D%0Atwo, three\n',
    );
  });
});

describe('the root folder of a job file', () => {
  const before = process.cwd();
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-root-')));
    mkdirSync(join(folder, 'project', '.git'), { recursive: true });
    mkdirSync(join(folder, 'project', 'deep', 'jobs'), { recursive: true });
    process.chdir(join(folder, 'project'));
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  const write = (path: string, text = ''): void => writeFileSync(join(folder, path), text);
  const rootOf = async (path: string, file = '/main.py'): Promise<string> => {
    write(path, `name: x\nexisting_cluster_id: c\nspark_python_task: {python_file: "${file}"}\n`);
    return workspaceRootOf(await readJobFile(join(folder, path)));
  };

  it('is the nearest one above that contains its paths', async () => {
    write('project/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project'));
    write('project/deep/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep'));
    write('project/deep/jobs/main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep', 'jobs'));
  });

  it('stays inside its project', async () => {
    write('main.py');
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project'));
    mkdirSync(join(folder, 'project', 'deep', '.git'));
    write('project/main.py');
    process.chdir(join(folder, 'project', 'deep', 'jobs'));
    assert.equal(await rootOf('project/deep/jobs/a.job.yml'), join(folder, 'project', 'deep', 'jobs'));
  });

  it('is the current folder when no path is found', async () => {
    assert.equal(await rootOf('project/deep/a.job.yml'), join(folder, 'project'));
    write('project/deep/main.py');
    assert.equal(await rootOf('project/deep/a.job.yml', 'dfs:/main.py'), join(folder, 'project'));
    process.chdir(join(folder, 'project', 'deep', 'jobs'));
    assert.equal(await rootOf('project/a.job.yml', 'dfs:/main.py'), join(folder, 'project'));
  });
});

describe('reading a text file', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-text-'));
    file = join(folder, 'a.job.yml');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('fails when letters would be lost or the file is missing', async () => {
    writeFileSync(file, Buffer.from('name: é\n', 'latin1'));
    for (const read of [readText, readMarkedText]) {
      await assert.rejects(read(file), (error: Error) => {
        assert.equal(error.message, 'it is not UTF-8; save it with that encoding');
        return error.cause instanceof TypeError;
      });
      await assert.rejects(read(join(folder, 'none')), /does not exist/);
    }
  });
});
