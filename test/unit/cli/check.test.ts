import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgram } from './program.ts';

const good = 'name: fine\nexisting_cluster_id: local\nspark_python_task: {python_file: /main.py}\n';
const bad = `max_retrys: 3\n${good}  timeout_seconds: soon\n`.replace('  timeout', 'timeout');

describe('millrace check', function () {
  this.timeout(120_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-check-'));
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
  after(() => rmSync(folder, { recursive: true, force: true }));
  const check = (...line: string[]) => runProgram(folder, ['check', ...line]);

  it('ends with 0 where nothing is wrong, warnings and all', async () => {
    assert.deepEqual(await check('good.job.yml'), { code: 0, out: '1 file: 0 errors, 0 warnings\n', err: '' });
    assert.deepEqual(await check('good.job.yml', '--format', 'json'), { code: 0, out: '[]\n', err: '' });
    const warned = await check('warned.job.yml');
    assert.match(
      warned.out,
      /^warned\.job\.yml:4:1: warning: max_retrys .*Did you mean max_retries\? \[unknownField\]\n/,
    );
    assert.match(warned.out, /\n1 file: 0 errors, 1 warning\n$/);
    assert.equal(warned.code, 0);
  });

  it('says each problem with its place, as JSON, and ends with 1 where one is an error', async () => {
    const { code, out } = await check('bad.job.yml', '--json');
    const found = JSON.parse(out) as Record<string, unknown>[];
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

  it('finds the job files of folders, leaves out what a file asks to, and takes an empty file for an error', async () => {
    assert.match((await check('deep')).out, /^1 file: 0 errors/);
    assert.equal((await check('wished.job.yml', '--json')).out, '[]\n');
    assert.match((await check('.')).out, /\n6 files: 2 errors, 2 warnings\n$/);
    const empty = await check('empty.job.yml');
    assert.deepEqual([empty.code, /empty\.job\.yml:1:1: error: /.test(empty.out)], [1, true]);
  });

  it('writes SARIF and the commands of GitHub Actions', async () => {
    const sarif = JSON.parse((await check('bad.job.yml', 'good.job.yml', '--format', 'sarif')).out) as {
      version: string;
      runs: { results: { ruleId: string; level: string; locations: unknown[] }[]; tool: { driver: object } }[];
    };
    assert.equal(sarif.version, '2.1.0');
    assert.deepEqual(sarif.runs[0]?.tool.driver, {
      name: 'millrace',
      rules: [{ id: 'unknownField' }, { id: 'wrongType' }],
    });
    assert.deepEqual(
      sarif.runs[0]?.results.map(({ level, locations }) => [level, locations]),
      [
        ['warning', 1, 1],
        ['error', 5, 18],
      ].map(([level, startLine, startColumn]) => [
        level,
        [{ physicalLocation: { artifactLocation: { uri: 'bad.job.yml' }, region: { startLine, startColumn } } }],
      ]),
    );
    const { out, code } = await check('bad.job.yml', '--format', 'github');
    assert.match(out, /^::warning file=bad\.job\.yml,line=1,col=1,title=unknownField::max_retrys .*\n::error file=/);
    assert.equal(code, 1);
  });

  it('says of a bundle file that it is one, and is content with it', async () => {
    const file = join(folder, 'nothing', 'bundle.job.yml');
    writeFileSync(file, 'resources:\n  jobs:\n    nightly: {name: nightly, tasks: []}\n');
    try {
      const { code, out } = await check('nothing');
      assert.equal(code, 0, out);
      assert.match(
        out,
        /^nothing.bundle\.job\.yml:1:1: information: .*bundle.* \[bundleFile\]\n.*0 errors, 0 warnings/,
      );
    } finally {
      rmSync(file);
    }
  });

  it('names files whose names hold what a URI takes for its own', async () => {
    const name = 'etl #1:50%?.job.yml';
    if (process.platform !== 'win32') {
      writeFileSync(join(folder, 'nothing', name), bad);
      const uris = async (...line: string[]) => {
        const { out } = await check(...line, '--format', 'sarif');
        return [...out.matchAll(/"uri": "([^"]*)"/g)].map(([, uri]) => uri);
      };
      try {
        const uri = 'nothing/etl%20%231%3A50%25%3F.job.yml';
        assert.deepEqual(await uris('nothing'), [uri, uri]);
        const whole = pathToFileURL(join(folder, 'nothing', name)).href;
        assert.deepEqual(await uris(join(folder, 'nothing')), [whole, whole]);
      } finally {
        rmSync(join(folder, 'nothing', name));
      }
    }
  });

  it('follows links in a folder, and checks a file once however often it is named', async () => {
    const links = join(folder, 'links');
    mkdirSync(links);
    try {
      symlinkSync(join(folder, 'bad.job.yml'), join(links, 'a.job.yml'));
      symlinkSync(join(folder, 'nowhere.job.yml'), join(links, 'b.job.yml'));
      const { code, out } = await check('links', join('links', 'a.job.yml'), '--json');
      const found = JSON.parse(out) as { file: string; code: string }[];
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

  it('takes a file that is not UTF-8 for unreadable, and one with a mark for what it is', async () => {
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

  it('tells of a file that cannot be read at its place, and of a folder without job files', async () => {
    const { code, out } = await check('good.job.yml', 'none.job.yml', '--format', 'json');
    assert.deepEqual([code, (JSON.parse(out) as { code: string }[])[0]?.code], [1, 'unreadable']);
    const nothing = await check('nothing');
    assert.deepEqual([nothing.code, /There is no job file in nothing/.test(nothing.err)], [1, true]);
  });

  it('prints the schema', async () => {
    const { code, out } = await runProgram(folder, ['schema']);
    assert.deepEqual([code, (JSON.parse(out) as { title: string }).title], [0, 'Millrace job file']);
  });
});

describe('wrong usage of millrace', function () {
  this.timeout(120_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-usage-'));
    writeFileSync(join(folder, 'a.job.yml'), good);
    writeFileSync(join(folder, 'cluster.job.yml'), 'name: x\nrun_job_task: {job_id: 1}\n');
    writeFileSync(
      join(folder, 'book.job.yml'),
      'name: x\nexisting_cluster_id: local\nnotebook_task: {notebook_path: /b}\n',
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [line, why] of [
    [['bogus'], /"bogus" is not a command; there are check, deploy, pull, run, runs, logs, schema, serve/],
    [['toString'], /"toString" is not a command/],
    [['check'], /check needs the files/],
    [['check', 'a.job.yml', '--format', 'xml'], /--format xml is not one of text, json, sarif, github/],
    [['check', 'a.job.yml', '--json', '--format', 'text'], /not given together/],
    [['check', 'a.job.yml', '--yes'], /Unknown option '--yes'/],
    [['deploy'], /deploy needs the files to deploy/],
    [['deploy', 'a.job.yml', '--plan', '--yes'], /--plan deploys nothing/],
    [['deploy', 'a.job.yml', '--token', 'x'], /Unknown option '--token'/],
    [['deploy', 'a.job.yml', '--url', 'http://127.0.0.1:9', '--data', 'd'], /--root and --data are of the local/],
    [['deploy', 'a.job.yml', '--url'], /argument missing/],
    [['runs', '--url', 'service.example'], /^The address in --url is not an http or https address\. .*https:\/\/host/],
    [['runs', '--url', 'http://me:secret@host'], /^The address in --url holds a user name or password\. /],
    [['deploy', 'a.job.yml', '--data', 'a.job.yml'], /the data folder .*a\.job\.yml could not be made/],
    [['deploy', 'a.job.yml', '--root', 'nowhere'], /there is no folder .*nowhere/],
    [['run', 'cluster.job.yml', '--param', 'a=b'], /takes no parameters/],
    [['run', 'book.job.yml', '--param', 'b'], /--param b is not NAME=VALUE/],
    [['runs', '--limit', 'all'], /--limit all is not a whole number/],
    [['logs'], /logs needs the id of one run/],
    [['logs', 'latest'], /latest is not the id of a run/],
    [['schema', 'x'], /schema takes nothing/],
    [['serve'], /--root and --data are required/],
  ] as const) {
    it(`${line.join(' ')} ends with 2 and says why`, async () => {
      const { code, out, err } = await runProgram(folder, line);
      assert.match(err, why);
      assert.deepEqual([code, out], [2, '']);
    });
  }

  it('is helped with, by every command', async () => {
    for (const line of [[], ['--help'], ['help'], ['check', '--help'], ['deploy', '-h']]) {
      const { code, out } = await runProgram(folder, line);
      assert.deepEqual([code, out.startsWith('Usage: millrace COMMAND')], [0, true], line.join(' '));
    }
    assert.match((await runProgram(folder, ['serve', '--help'])).out, /^Usage: millrace serve/);
  });
});
