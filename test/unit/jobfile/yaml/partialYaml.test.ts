import assert from 'node:assert/strict';
import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { parseFast } from '../../../../src/jobfile/yaml/fastYaml.ts';
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

});
