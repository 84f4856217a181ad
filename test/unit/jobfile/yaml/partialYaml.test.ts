import assert from 'node:assert/strict';
import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { parseFast } from '../../../../src/jobfile/yaml/fastYaml.ts';
import { parseInParts } from '../../../../src/jobfile/yaml/partialYaml.ts';
import { generatedText, pieces, show } from '../yamlTexts.ts';

/** Texts with the shape of a job file, broken at any place. */
const jobPieces = [
  ...pieces.filter((piece) => !/[&*%]|---|\.\.\./.test(piece)),
  '\nname: x\n',
  '\nname: x\n',
  '\nschedule:\n',
  '\n  a: 1\n',
  '\n  b: c\n',
  '\n    d: e\n',
  '\nlibraries:\n',
  '\n  - jar: x\n',
  '\n- y: z\n',
  '\nfoo bar\n',
  '\n  foo\n',
  '\nfoo\n',
  '\ng: &h\n',
  '\n<<: *h\n',
  '\nm: *h\n',
  '\n- &h k: l\n',
  '\n\tb: c\n',
  '\n k: v\n',
  '\n   k: v\n',
  '\na:b\n',
];

describe('a text taken apart', () => {
  it('is judged as the complete parser judges the whole', function () {
    this.timeout(600_000);
    let whole = 0;
    for (let seed = 1; seed <= (process.env['MILLRACE_LONG'] === undefined ? 4000 : 400_000); seed++) {
      const text = generatedText(seed, jobPieces, 'k: v\n');
      // The library refuses lines of nothing but tabs, which are comments by the standard.
      if (parseFast(text) !== undefined || /^ *\t\s*$/m.test(text)) continue;
      const ours = parseDocument(text);
      const complete = parseComplete(text);
      assert.equal(ours.problems.length > 0, complete.problems.length > 0, `differs for ${JSON.stringify(text)}`);
      if (complete.problems.length > 0) continue;
      assert.equal(show(ours.root), show(complete.root), `differs for ${JSON.stringify(text)}`);
      whole++;
    }
    assert.ok(whole > 100, `only ${whole} texts were right`);
  });

  it('is not taken apart where another document may begin: its end and its start are marks of the whole', () => {
    for (const text of ['a: 1\n...\nb: "x\nc: 2\n', 'a: 1\n---\nb: "x\nc: 2\n', '%YAML 1.2\n---\na: "x\nc: 2\n'])
      assert.equal(parseDocument(text).broken[0]?.start, 0, text);
    assert.notEqual(parseDocument('a: 1\nb: "x\nc: 2\n').broken[0]?.start, 0);
  });

  it('is broken up to its leftmost line where it begins too far to the right, and read from there', () => {
    const text = '  name: x\n  a: 1\nb: 2\n';
    const { problems, broken, root } = parseDocument(text);
    assert.deepEqual(
      problems.map(({ start, end, severity }) => [start, end, severity]),
      [[2, 6, 'error']],
    );
    assert.deepEqual(broken, [{ start: 0, end: text.indexOf('b') }]);
    assert.deepEqual(root?.kind === 'map' && root.entries.map(({ key }) => key.name), ['b']);
  });

  it('keeps what stands below an anchor around an error in it, and what an alias makes of it', () => {
    const { root, broken } = parseDocument('x-a: &a\n  k: 1\n  l: {m: [}\n  n: 2\nb: *a\nc: 1\n');
    assert.deepEqual(broken.length, 1);
    assert.deepEqual(
      root?.kind === 'map' &&
        root.entries.map(({ key, value }) => [
          key.name,
          value.kind,
          value.kind === 'map' ? value.entries.map((entry) => entry.key.name) : [],
        ]),
      [
        ['x-a', 'map', ['k', 'l', 'n']],
        ['b', 'alias', []],
        ['c', 'scalar', []],
      ],
    );
  });

  it('is read in the same parts where its lines end as those of Windows do', () => {
    const text =
      'name: x\nlibraries:\n  - jar: a\n  - jar: [b\nschedule:\n  timezone_id UTC\n  pause_status: PAUSED\nfoo\n';
    const windows = text.replaceAll('\n', '\r\n');
    const parts = (of: string): unknown => {
      const { root, problems } = parseDocument(of);
      return [
        show(root).replaceAll('\r\n', '\n').replaceAll(/\d+/g, ''),
        problems.map(({ start, end }) => of.slice(start, end)),
      ];
    };
    assert.deepEqual(parts(windows), parts(text));
  });

  it('is read as far as there are not too many mistakes, and its rest is broken', () => {
    const text = 'foo bar\n'.repeat(300);
    const { problems, broken } = parseDocument(`a: 1\n${text}b: 2\n`);
    assert.equal(problems.length, 200);
    assert.equal(broken.at(-1)?.end, 5 + text.length + 5);
  });

  it('is broken as a whole where no part of it stands by itself', () => {
    for (const text of ['{"name": "x",\n', '{"name": "x"\n "timeout_seconds": 1}\n']) {
      const { problems, broken } = parseDocument(text);
      assert.equal(problems.length, 1);
      assert.deepEqual(broken, [{ start: 0, end: text.length }], text);
    }
    assert.deepEqual(parseDocument('a: &x 1\nb: *x\n').broken, []);
  });

  it('keeps what stands around an error', () => {
    const { root, problems, broken } = parseDocument(
      'name: x\nlibraries:\n  - jar: a\n  - jar: [b\n  - jar: c\nschedule:\n  timezone_id UTC\n  pause_status: PAUSED\n',
    );
    assert.deepEqual(
      problems.map(({ start, end }) => [start, end]),
      [
        [39, 40],
        [65, 80],
      ],
    );
    assert.deepEqual(broken, [
      { start: 30, end: 42 },
      { start: 63, end: 81 },
    ]);
    assert.equal(
      root?.kind === 'map' &&
        root.entries
          .map(
            ({ key, value }) =>
              `${key.name} ${value.kind === 'map' ? value.entries.length : value.kind === 'seq' ? value.items.length : ''}`,
          )
          .join(),
      'name ,libraries 3,schedule 1',
    );
  });

  it('is read as a whole where a marker, a directive or another line end stands in it', () => {
    const [before, after] = ['a: 1\nb: "x\n', 'c: 2\n'];
    const parts = (text: string): unknown => parseInParts(text, { cost: 1000 });
    assert.notEqual(parts(before + after), undefined);
    for (const [text, isWhole] of [
      [`${before}...\n${after}`, true],
      [`${before}---\n${after}`, true],
      [`${before} ...\n${after}`, false],
      [`---\n${before}${after}`, false],
      [`# first\n\n---\n${before}${after}`, false],
      [`a: 1\n---\n${before}${after}`, true],
      [`%YAML 1.2\n---\n${before}`, true],
      [`\ufeff${before}`, true],
      [`a: \ufeffx\n${before}`, true],
      [`${before}\rc: 2\n`, true],
      [`{a: 1,\n`, true],
      ['[a,\n', true],
      ['', true],
      ['# nothing\n', true],
    ] as const)
      assert.equal(parts(text) === undefined, isWhole, JSON.stringify(text));
  });

  it('costs forty for each part that is not plain, beside its tokens, and is given up where that is too much', () => {
    const spent = (text: string): number => {
      const budget = { cost: 100_000 };
      assert.ok(parseInParts(text, budget), text);
      return 100_000 - budget.cost;
    };
    const one = spent('a: 1\nb: "x\nc: 2\n');
    const two = spent('a: 1\nb: "x\nc: 2\nd: "x\n');
    assert.ok(one >= 40 && two - one >= 40, `${one} and ${two}`);
    assert.ok(one < 60 && two < 120, `${one} and ${two}`);
    for (const [cost, isRead] of [
      [two, true],
      [two - 1, false],
    ] as const)
      assert.equal(parseInParts('a: 1\nb: "x\nc: 2\nd: "x\n', { cost }) !== undefined, isRead);
  });
});
