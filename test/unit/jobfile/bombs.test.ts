import assert from 'node:assert/strict';
import { complete } from '../../../src/jobfile/completion.ts';
import { validateText } from '../../../src/jobfile/validate.ts';

const size = 256 * 1024;
const many = (text: string, length = size): string => text.repeat(Math.ceil(length / text.length));

function laughs(levels: number, width: number): string {
  const lines = ['x-0: &a0 [lol]'];
  for (let level = 1; level <= levels; level++) lines.push(`x-${level}: &a${level} [${`*a${level - 1}, `.repeat(width)}]`);
  return `${lines.join('\n')}\nlibraries: *a${levels}\n`;
}

const bombs: Readonly<Record<string, string>> = {
  'a billion laughs': laughs(9, 10),
  'laughs in mappings': `${Array.from({ length: 30 }, (_, level) => `x-${level}: &a${level} {a: ${level === 0 ? '1' : `*a${level - 1}`}, b: ${level === 0 ? '1' : `*a${level - 1}`}}`).join('\n')}\nhealth: *a29\n`,
  'merged laughs': `${Array.from({ length: 24 }, (_, level) => `x-${level}: &a${level}\n  k${level}: 1\n${level === 0 ? '' : `  <<: [*a${level - 1}, *a${level - 1}]\n`}`).join('')}new_cluster: *a23\n`,
  'an alias to itself': 'health: &a\n  rules: [*a]\n',
  'deep brackets': many('['),
  'deep braces': many('{a: '),
  'deep JSON': many('{"a":['),
  'deep dashes': many('- '),
  'deep questions': many('? '),
  'deep indentation': Array.from({ length: 700 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
  'flat keys': Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n'),
  'flat keys with a broken end': `${Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n')}\nend`,
  'one key again and again': many('name: x\n'),
  'flat keys in braces': `{${Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`).join(', ')}`,
  'bad escapes': `a: "${many('\\q')}"`,
  'an endless quote': `a: "${many('x\n ')}`,
  'an endless plain text': `a: ${many('x\n ')}`,
  'only commas': `[${many(',')}`,
  'only colons': many(': '),
  'only quotes': many('"'),
  'only tabs': many('\t'),
  'lines of tabs': many('\ta: b\n'),
  'only blank lines': many('\n'),
  'only comments': many('# x\n'),
  'only stars': many('*'),
  'anchors': many('- &a x\n'),
  'aliases': `- &a x\n${many('- *a\n')}`,
  'tags': many('- !t x\n'),
  'documents': many('---\na: 1\n'),
  'unclosed brackets on each line': many('a: [\n'),
  'empty brackets side by side': many('[]'),
  'pairs in brackets': `[${many('a: b, ')}]`,
  'literals on each line': many('a: |\n'),
  'one long line': `name: ${many('x', 2_000_000)}`,
  'too many characters': many('a', 5_000_000),
};

/** As YAML there is nothing in them, or nothing wrong but what an empty file lacks. */
const harmless = new Set(['only blank lines', 'only comments', 'only tabs']);

/** Processor time, so that other work on the machine does not count; warm, since an editor's check is. */
const limitInMs = 200;

function cpuInMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe('texts made to be slow or deep', () => {
  for (const [name, text] of Object.entries(bombs)) {
    it(name, function () {
      this.timeout(30_000);
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

  it('are completed in without harm', async () => {
    for (const text of ['deep brackets', 'deep JSON', 'deep dashes', 'bad escapes', 'deep indentation'].map((name) => bombs[name] ?? '')) {
      const started = cpuInMs();
      await complete(text, text.length);
      assert.ok(cpuInMs() - started < 500);
    }
  });
});
