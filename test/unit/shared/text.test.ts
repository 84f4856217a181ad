import assert from 'node:assert/strict';
import { l10n } from '../../../src/shared/l10n.ts';
import { readRunLink, runLink } from '../../../src/shared/runLink.ts';
import { similarNames } from '../../../src/shared/similarNames.ts';
import { splitWords } from '../../../src/shared/splitWords.ts';
import { formatDuration } from '../../../src/shared/text.ts';

describe('formatDuration', () => {
  const cases: [durationInMs: number, text: string][] = [
    [0, '0 ms'],
    [1000, '1 s'],
    [60_000, '1 min 0 s'],
    [3_600_000, '1 h 0 min'],
    [172_800_000, '2 d 0 h'],
    [7_260_000, '2 h 1 min'],
    [112_260_000, '1 d 7 h'],
    [86_400_000, '1 d 0 h'],
    [850.4, '850 ms'],
    [850.5, '851 ms'],
  ];
  for (const [durationInMs, text] of cases)
    it(`formats ${durationInMs} ms as ${text}`, () => assert.equal(formatDuration(durationInMs), text));
});

describe('splitWords', () => {
  for (const [line, words, openQuote] of [
    ['', []],
    ['  a   b\t c\n', ['a', 'b', 'c']],
    ['"a b" \'c d\'', ['a b', 'c d']],
    ['a"b c"d', ['ab cd']],
    ['"" \'\'', ['', '']],
    ['"it\'s" \'say "x"\'', ["it's", 'say "x"']],
    ['a\\ b \\"c', ['a b', '"c']],
    ['"a\\"b" \'a\\b\'', ['a"b', 'a\\b']],
    ['a\\', ['a\\']],
    ['"open word', ['open word'], '"'],
    ["'", [''], "'"],
  ] as const) {
    it(`splits ${JSON.stringify(line)}`, () =>
      assert.deepEqual(splitWords(line), openQuote === undefined ? { words } : { words, openQuote }));
  }

  for (const [line, words] of [
    ['C:\\tools\\python.exe -c x', ['C:\\tools\\python.exe', '-c', 'x']],
    ['"C:\\my tools\\" b', ['C:\\my tools" b']],
    ['"a\\\\" "b\\"c" "d\\e"', ['a\\', 'b"c', 'd\\e']],
    ["'a\\\\b'", ['a\\\\b']],
    ['a\\"b"', ['a\\b']],
  ] as const) {
    it(`splits ${line} with escapes in quotes only`, () =>
      assert.deepEqual(splitWords(line, { escapes: 'quoted' }).words, words));
  }
});

const known = ['name', 'timeout_seconds', 'max_retries', 'max_concurrent_runs', 'schedule'];

describe('similarNames', () => {
  for (const [name, expected] of [
    ['nmae', ['name']],
    ['nam', ['name']],
    ['names', ['name']],
    ['nime', ['name']],
    ['timeoutSeconds', ['timeout_seconds']],
    ['Timeout-Seconds', ['timeout_seconds']],
    ['MAX_RETRIES', ['max_retries']],
    ['timeut_secnds', ['timeout_seconds']],
    ['max_retires', ['max_retries']],
    ['shcedule', ['schedule']],
    ['timeout', []],
    ['eman', []],
    ['max_concurrent', []],
    ['', []],
  ] as const) {
    it(`finds ${expected.join() || 'nothing'} for ${JSON.stringify(name)}`, () =>
      assert.deepEqual(similarNames(name, known), expected));
  }

  it('returns the nearest first, up to the limit', () => {
    const names = ['rabcdefgh', 'abcdefghij', 'abcdefgh', 'abcdefxy', 'abcdefg'];
    assert.deepEqual(similarNames('abcdefgh', names), ['abcdefgh', 'rabcdefgh', 'abcdefg']);
    assert.deepEqual(similarNames('abcdefgh', names, 1), ['abcdefgh']);
    assert.equal(similarNames('abcdefgh', names, 9).length, 5);
  });
});

describe('Run link', () => {
  it('round-trips for any profile name', () => {
    for (const profileId of ['local', 'a b', 'ä&run_id=1', '#?=/']) {
      const link = runLink({ profileId, runId: '9223372036854775807' });
      const { host, protocol, pathname, search } = new URL(link);
      assert.deepEqual([protocol, host], ['vscode:', 'millrace.millrace']);
      assert.deepEqual(readRunLink({ path: pathname, query: search.slice(1) }), {
        profileId,
        runId: '9223372036854775807',
      });
    }
  });

  it('is refused with another path or invalid parts', () => {
    const query = 'profile=local&run_id=5';
    assert.deepEqual(readRunLink({ path: '/run', query }), { profileId: 'local', runId: '5' });
    assert.ok(readRunLink({ path: '/run', query: `profile=${'x'.repeat(200)}&run_id=0` }));
    for (const [path, other] of [
      ['/runs', query],
      ['', query],
      ['/run', 'profile=local'],
      ['/run', 'run_id=5'],
      ['/run', 'profile=&run_id=5'],
      ['/run', 'profile=local&run_id=-5'],
      ['/run', 'profile=local&run_id=5e3'],
      ['/run', 'profile=local&run_id=9223372036854775808'],
      ['/run', `profile=${'x'.repeat(201)}&run_id=5`],
    ] as const)
      assert.equal(readRunLink({ path, query: other }), undefined, `${path}?${other}`);
  });
});

describe('l10n', () => {
  afterEach(() => l10n.useBundle({}));

  it('fills in placeholders', () => {
    assert.equal(l10n.t('{1} of {0}, {2}', 3, 'two'), 'two of 3, {2}');
    assert.equal(l10n.t('{0}', '{1}'), '{1}', 'a value is not read as a text');
    assert.equal(l10n.t('{0} {0} {2}', 0), '0 0 {2}');
    assert.equal(l10n.t('{0}'), '{0}');
    assert.equal(l10n.t('{10}{1}', ...'abcdefghijk'), 'kb');
  });

  it('translates known texts and leaves the rest in English', () => {
    l10n.useBundle({ 'Run {0}': 'Lauf {0}' });
    assert.equal(l10n.t('Run {0}', 7), 'Lauf 7');
    assert.equal(l10n.t('Stop'), 'Stop');
    l10n.use((message, ...values) => `${message}/${values.join()}`);
    assert.equal(l10n.t('Run {0} {1}', 7, 8), 'Run {0} {1}/7,8');
    l10n.useBundle({ 'Run {0}': 'Lauf {0}' });
    assert.equal(l10n.t('constructor'), 'constructor');
  });
});
