import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Proposal } from '../../../../src/commands/fix/failedRun.ts';
import { findCause } from '../../../../src/commands/fix/fixRun.ts';
import { failingJobs } from '../../../support/failingJobs/failingJobs.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

/** What the local service gave of each, with Python 3.11; `/w` is the workspace. */
const outputs = JSON.parse(readFileSync('test/fixtures/failing-jobs.json', 'utf8')) as Record<
  string,
  Record<string, string>
>;

/** The cause of a program's failure in its first line, or where the error says. */
async function mended(code: string, error: string, line = 1): Promise<string | undefined> {
  const files = { 'etl.job.yml': plainJob, 'jobs/etl.py': code };
  const found = await findCause(
    await failedRunOf(files, { error, error_trace: `  File "/w/jobs/etl.py", line ${line}\n    x\n${error}` }),
  );
  return typeof found === 'object' ? found.text : undefined;
}

const changedLines = ({ file, text }: Proposal): number => {
  const before = file.text.split('\n');
  return text.split('\n').filter((each) => !before.includes(each)).length;
};

describe('what the guide knows to mend', () => {
  for (const { kind, name, files, guide } of failingJobs) {
    it(`${kind}: ${name}${guide === undefined ? ', which it does not claim' : ''}`, async () => {
      const found = await findCause(await failedRunOf(files, outputs[name] ?? {}));
      if (guide === undefined) {
        assert.notEqual(typeof found, 'object', JSON.stringify(found));
        return;
      }
      assert.ok(typeof found === 'object', String(found));
      assert.ok(found.text.includes(guide), found.text);
      assert.ok(!found.file.text.includes(guide), 'the file did not say it');
      assert.ok(changedLines(found) <= 4, found.text);
      assert.notEqual(found.what, '');
    });
  }

  it('is at least 15 of 40', () => {
    assert.equal(failingJobs.length, 40);
    assert.ok(failingJobs.filter(({ guide }) => guide !== undefined).length >= 15);
    assert.ok(failingJobs.every(({ guide, answer }) => (guide === undefined) === (answer !== undefined)));
  });

  it('keeps the comments of the job file', async () => {
    for (const name of ['a package is not listed', 'the time zone is mistyped', 'the Python file is mistyped']) {
      const found = await findCause(
        await failedRunOf(failingJobs.find((each) => each.name === name)?.files ?? {}, outputs[name] ?? {}),
      );
      assert.ok(typeof found === 'object' && found.text.startsWith('# Every night\nname: etl\n'), name);
    }
  });

  it('says what Python says of a line, and no more', async () => {
    assert.equal(await mended('f((1)))\n', "SyntaxError: unmatched ')'"), 'f((1))\n');
    assert.equal(await mended('f("a)\n', 'SyntaxError: unterminated string literal (detected at line 1)'), 'f("a")\n');
    assert.equal(
      await mended(
        'if a = 1:\n    pass\n',
        "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
      ),
      'if a == 1:\n    pass\n',
    );
    assert.equal(await mended('x = \u201Ca\u201D\n', "SyntaxError: invalid character '\u201C' (U+201C)"), 'x = "a"\n');
    assert.equal(
      await mended('if a:\n\tb\n        c\n', 'TabError: inconsistent use of tabs and spaces in indentation', 3),
      'if a:\n    b\n        c\n',
    );
    assert.equal(
      await mended(
        'def f():\n    if a:\n        b\n      c\n',
        'IndentationError: unindent does not match any outer indentation level',
        4,
      ),
      undefined,
      'either level may be meant',
    );
    assert.equal(
      await mended('# a\nprint(json.dumps(1))\n', "NameError: name 'json' is not defined", 2),
      '# a\nimport json\nprint(json.dumps(1))\n',
    );
    assert.equal(await mended('if x  # why\n    pass\n', "SyntaxError: expected ':'"), 'if x:  # why\n    pass\n');
    assert.equal(
      await mended('x = f(\n    1,\n    2\ny = 3\n', "SyntaxError: '(' was never closed"),
      'x = f(\n    1,\n    2)\ny = 3\n',
    );
    assert.equal(
      await mended('f("a", \'b)\n', 'SyntaxError: unterminated string literal (detected at line 1)'),
      undefined,
    );
    assert.equal(
      await mended('if a:\nb\nc\n', "IndentationError: expected an indented block after 'if' statement on line 1", 2),
      'if a:\n    b\nc\n',
    );
    assert.equal(
      await mended(
        'def f():\n    if a:\n    b\n    c\n',
        "IndentationError: expected an indented block after 'if' statement on line 2",
        3,
      ),
      undefined,
    );
  });

  it('changes no file of a library, and none outside of the workspace', async () => {
    const error = "SyntaxError: expected ':'";
    const trace = `  File "/usr/lib/python3.11/jobs/etl.py", line 1\n    x\n${error}`;
    const found = await findCause(
      await failedRunOf({ 'etl.job.yml': plainJob, 'jobs/etl.py': 'if x\n' }, { error, error_trace: trace }),
    );
    assert.equal(found, undefined);
  });

  it('asks to look at a package that it does not know, and adds none that is listed', async () => {
    const error = "ModuleNotFoundError: No module named 'acme_billing'";
    const files = { 'etl.job.yml': plainJob, 'jobs/etl.py': 'import acme_billing\n' };
    const found = await findCause(await failedRunOf(files, { error }));
    assert.match(typeof found === 'object' ? found.what : '', /acme-billing of PyPI .* See first/);
    const listed = { ...files, 'etl.job.yml': `${plainJob}libraries:\n- pypi:\n    package: acme-billing==1\n` };
    assert.match(String(await findCause(await failedRunOf(listed, { error }))), /already have acme-billing/);
    assert.match(
      String(await findCause(await failedRunOf({ 'jobs/etl.py': '' }, { error }))),
      /no job file of this workspace/,
    );
  });

  describe('in a notebook of Jupyter', () => {
    const cell = (cell_type: string, ...source: string[]) => ({
      cell_type,
      id: `c${source.length}`,
      metadata: {},
      ...(cell_type === 'code' && { execution_count: null, outputs: [] }),
      source,
    });
    const book = (...cells: unknown[]): unknown => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const good = book(
      cell('markdown', '# Ünïcode'),
      cell('raw', 'not counted'),
      cell('code', 'x = 1\n', 'if x == 1\n', '    print(x)'),
    );
    const job = 'name: n\nexisting_cluster_id: local\nnotebook_task:\n  notebook_path: /jobs/etl\n';
    const find = async (text: string, number = 2, place = `File "<cell ${number}>"`): ReturnType<typeof findCause> =>
      findCause(
        await failedRunOf(
          { 'etl.job.yml': job, 'jobs/etl.ipynb': text },
          {
            error: "SyntaxError: expected ':'",
            error_trace: `  ${place}, line 2\n    if x == 1\nSyntaxError: expected ':'`,
          },
        ),
      );

    for (const [name, write] of [
      ['of nbformat', (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`],
      ['of the editor', (value: unknown) => JSON.stringify(value, undefined, 4)],
      ['of one line', (value: unknown) => JSON.stringify(value)],
    ] as const)
      it(`mends the cell, and changes that alone: ${name}`, async () => {
        const found = await find(write(good));
        assert.ok(typeof found === 'object', String(found));
        assert.equal(found.file.path, 'jobs/etl.ipynb');
        assert.equal(found.text, write(good).replace('if x == 1', 'if x == 1:'));
      });

    it('counts the inputs of IPython, which is given neither text nor what is empty', async () => {
      const found = await find(
        JSON.stringify(book(cell('code', ''), ...(good as { cells: unknown[] }).cells)),
        1,
        'Cell In[1]',
      );
      assert.ok(typeof found === 'object' && found.text.includes('if x == 1:'), String(found));
    });

    it('leaves alone what could not be written without changing more', async () => {
      for (const text of [
        `${JSON.stringify(good, undefined, 3)}\n`,
        JSON.stringify(good).replace('"nbformat":4', '"nbformat":4.0'),
        '{"cells": 7}',
        'no JSON',
      ])
        assert.notEqual(typeof (await find(text)), 'object', text);
      assert.notEqual(typeof (await find(JSON.stringify(good), 3)), 'object', 'there is no third');
      assert.notEqual(typeof (await find(JSON.stringify(good), 1)), 'object', 'the first is text');
      const magic = book(cell('code', '%pip install x\n', 'if x == 1\n'));
      assert.notEqual(typeof (await find(JSON.stringify(magic), 1)), 'object');
    });
  });
});
