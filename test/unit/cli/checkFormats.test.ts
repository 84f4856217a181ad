import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formats, isFormat, type FoundProblem } from '../../../src/cli/checkFormats.ts';

describe('what a check found', () => {
  const found = (file: string, severity: FoundProblem['severity'], more: Partial<FoundProblem> = {}): FoundProblem => ({
    ...{ file, line: 2, column: 3, severity, code: 'rule', message: 'It is wrong.' },
    ...more,
  });
  const all = (['error', 'warning', 'information', 'hint'] as const).map((severity) => found('a.job.yml', severity));

  it('as text is a line each and their sum, without what a terminal would obey', () => {
    assert.equal(
      formats
        .text([...all, found('b\x1b[2J.job.yml', 'error', { message: 'one\ntwo' })], 2)
        .split('\n')
        .at(-2),
      '2 files: 2 errors, 1 warning',
    );
    assert.equal(
      formats.text(all.slice(0, 1), 1),
      'a.job.yml:2:3: error: It is wrong. [rule]\n1 file: 1 error, 0 warnings\n',
    );
    const told = formats.text([found('b\x1b[2J.job.yml', 'error', { message: 'one\ntwo' })], 1);
    assert.deepEqual([told.includes('\x1b'), told.split('\n').length], [false, 3]);
    assert.equal(formats.text([], 3), '3 files: 0 errors, 0 warnings\n');
  });

  it('as JSON is the list', () => assert.deepEqual(JSON.parse(formats.json(all)), all));

  it('as SARIF has its rule, its level and its place, whatever the file is called', () => {
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

  it('for GitHub is a command each, in which a text ends neither its property nor its line', () => {
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

  it('has these forms and no other', () =>
    assert.deepEqual(['text', 'json', 'sarif', 'github', 'toString', 'xml', ''].filter(isFormat), [
      'text',
      'json',
      'sarif',
      'github',
    ]));
});
