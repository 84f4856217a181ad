import assert from 'node:assert/strict';
import { complete } from '../../../src/jobfile/services/complete.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { symbols } from '../../../src/jobfile/services/symbols.ts';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { maxValues } from '../../../src/jobfile/yaml/nodeValue.ts';

const job = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';

const codes = (text: string): string[] => validateText(text, { nowMs: 0 }).map(({ code }) => code);

const keys = (count: number, indent = ''): string =>
  Array.from({ length: count }, (_, index) => `${indent}k${index}: 1\n`).join('');

describe('Job file limits', () => {
  it('count written values and values behind aliases', () => {
    assert.deepEqual(codes(`${job}compute:\n${keys(maxValues, '  ')}`), ['tooLarge']);
    assert.deepEqual(codes(`${job}compute:\n${keys(maxValues - 100, '  ')}`), ['foreignField']);
    const expanded = (times: number): string =>
      `${job}x-a: &a [${'1, '.repeat(1000)}]\ncompute: [${'*a, '.repeat(times)}]\n`;
    assert.deepEqual(codes(expanded(maxValues / 1000)), ['tooLarge']);
    assert.equal(parseJobFile(expanded(maxValues / 1000)).settings, undefined);
    assert.deepEqual(codes(expanded(maxValues / 1000 - 2)), ['foreignField']);
    const merged = Array.from(
      { length: 20 },
      (_, level) =>
        `x-${level}: &a${level}\n  k${level}: 1\n${level === 0 ? '' : `  <<: [*a${level - 1}, *a${level - 1}]\n`}`,
    ).join('');
    assert.deepEqual(codes(`${merged}${job}compute: *a19\n`), ['tooLarge']);
  });

  it('apply to the depth in both parsers', () => {
    const nested = (depth: number, value: string): string =>
      `${job}compute: ${'['.repeat(depth)}${value}${']'.repeat(depth)}\n`;
    assert.deepEqual(
      [codes(nested(90, 'a')), codes(nested(101, 'a')), codes(nested(101, '&a a'))],
      [['foreignField'], ['tooDeep'], ['tooDeep']],
    );
  });

  it('treat very long numbers as text', () => {
    for (const value of ['9'.repeat(401), `!!int ${'9'.repeat(401)}`]) {
      assert.match(
        validateText(`${job}max_retries: ${value}\n`)[0]?.message ?? '',
        /must be a whole number, but it is the text "9/,
      );
    }
    assert.match(validateText(`${job}max_retries: ${'9'.repeat(400)}\n`)[0]?.message ?? '', /at most/);
    // An expression is looked at character by character.
    assert.equal(
      codes(`${job}schedule: {timezone_id: UTC, quartz_cron_expression: "x ${'0,'.repeat(3000)}0 * * * ?"}\n`).includes(
        'cron',
      ),
      false,
    );
  });

  it('keep the errors when there are too many problems', () => {
    const libraries = Array.from(
      { length: 100 },
      (_, index) =>
        `  - jar: a\n    x${index}a: 1\n    x${index}b: 1\n    x${index}c: 1\n    x${index}d: 1\n    x${index}e: 1\n    x${index}f: 1\n`,
    ).join('');
    const found = validateText(`${job}libraries:\n${libraries}max_retries: none\n`);
    assert.deepEqual(
      [found.length, found.at(-1)?.code, found.filter(({ severity }) => severity === 'error').length],
      [500, 'wrongType', 1],
    );
  });

  it('cap repeated problems', () => {
    assert.equal(
      codes(`${job}compute: {${'a: 1, '.repeat(1000)}}\n`).filter((code) => code === 'duplicateKey').length,
      200,
    );
    assert.equal(codes(keys(300) + job).filter((code) => code === 'unknownField').length, 100);
    assert.equal(codes(`${job}${'foo\n'.repeat(1000)}`).length, 200);
    assert.equal(symbols(parseDocument(keys(5000))).length, 1000);
  });
});

const size = 256 * 1024;

const many = (text: string, length = size): string => text.repeat(Math.ceil(length / text.length));

const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

function laughs(levels: number, width: number): string {
  const lines = ['x-0: &a0 [lol]'];
  for (let level = 1; level <= levels; level++)
    lines.push(`x-${level}: &a${level} [${`*a${level - 1}, `.repeat(width)}]`);
  return `${lines.join('\n')}\nlibraries: *a${levels}\n`;
}

/** The anchor one level below, which the lowest has none of. */
const below = (level: number): string => (level === 0 ? '1' : `*a${level - 1}`);

const bombs: Readonly<Record<string, string>> = {
  'a billion laughs': laughs(9, 10),
  'laughs in mappings': `${numbered(30, (level) => `x-${level}: &a${level} {a: ${below(level)}, b: ${below(level)}}`)}\nhealth: *a29\n`,
  'an alias to itself': 'health: &a\n  rules: [*a]\n',
  'deep brackets': many('['),
  'deep JSON': many('{"a":['),
  'deep dashes': many('- '),
  'deep indentation': Array.from({ length: 700 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
  'flat keys': Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n'),
  'one key again and again': many('name: x\n'),
  'bad escapes': `a: "${many('\\q')}"`,
  'an endless quote': `a: "${many('x\n ')}`,
  'only commas': `[${many(',')}`,
  'only tabs': many('\t'),
  'lines of tabs': many('\ta: b\n'),
  'only blank lines': many('\n'),
  'only comments': many('# x\n'),
  aliases: `- &a x\n${many('- *a\n')}`,
  documents: many('---\na: 1\n'),
  'empty brackets side by side': many('[]'),
  'pairs in brackets': `[${many('a: b, ')}]`,
  'one long line': `name: ${many('x', 2_000_000)}`,
  'too many characters': many('a', 10_000_000),
  'a hundred thousand keys': numbered(100_000, (index) => `k${index}: 1`),
  'as many values as are read': `x-a:\n${numbered(19_000, (index) => `  k${index}: 1`)}\nname: [\n`,
  'a hundred thousand brackets': `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'spaces without end': `a${many(' ', 490_000)}`,
  'comments before an error': `${many('# x\n', 490_000)}a: "`,
  'dashes without end': many('-', 490_000),
  'an anchor without end': `&${many('a', 490_000)}`,
  'lines without a colon': `${many('foo\n')}a: 1\n`,
  'a tab on every other line': `${numbered(18_000, (index) => `k${index}:\n\tb: c`)}\n`,
  'a mistake on every line': numbered(20_000, () => '- "x').replace(/^/, 'a:\n'),
  'digits without end': `run_job_task: {job_id: ${many('9', 490_000)}}`,
  'an integer without end, of the complete reader': `max_retries: !!int ${many('9', 490_000)}`,
  'an expression without end': `schedule: {timezone_id: UTC, quartz_cron_expression: "0 ${many('0,', 490_000)} * * * ?"}`,
  'a time zone without end': `schedule: {timezone_id: "${many('A', 490_000)}", quartz_cron_expression: "0 0 0 * * ?"}`,
  'a comment that ignores without end': `k: 1 # millrace-ignore: ${many('a ', 490_000)}`,
  'one line of mistakes with a comment': `{${numbered(10_000, (index) => `k${index}: 1, max_retries: x,`).replaceAll('\n', ' ')}} # millrace-ignore: a`,
};

/** As YAML there is nothing in them, or nothing wrong but what an empty file lacks. */
const harmless = new Set(['only blank lines', 'only comments', 'only tabs']);

/** Processor time, so that other work on the machine does not count; warm, since an editor's check is. */
const limitInMs = 200;

function cpuInMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe('Hostile YAML', () => {
  for (const [name, text] of Object.entries(bombs)) {
    it(name, function () {
      this.timeout(120_000);
      let best = Infinity;
      for (let attempt = 0; attempt < 4 && best > limitInMs; attempt++) {
        const started = cpuInMs();
        const problems = validateText(text);
        best = Math.min(best, cpuInMs() - started);
        assert.equal(problems.length > 0, !harmless.has(name));
      }
      assert.ok(best < limitInMs, `took ${best.toFixed(0)} ms`);
    });
  }

  it('can be completed in without harm', async () => {
    for (const text of ['deep brackets', 'deep JSON', 'deep dashes', 'bad escapes', 'deep indentation'].map(
      (name) => bombs[name] ?? '',
    )) {
      const started = cpuInMs();
      await complete(text, text.length);
      assert.ok(cpuInMs() - started < 500);
    }
  });
});
