import assert from 'node:assert/strict';
import {
  defaultParameters,
  editParameters,
  joinWords,
  readParameterList,
} from '../../../src/commands/runParameters.ts';
import { splitWords } from '../../../src/shared/splitWords.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench } from './commandSetup.ts';

describe('parameters as a line', () => {
  const cases: [line: string, words: string[], openQuote?: string][] = [
    ['', []],
    ['a b  c', ['a', 'b', 'c']],
    ['--name "two words" \'and "more"\'', ['--name', 'two words', 'and "more"']],
    ['a\\ b', ['a b']],
    ['""', ['']],
    ['x"y z"w', ['xy zw']],
    ['a "open', ['a', 'open'], '"'],
    ["'it''s'", ['its']],
  ];
  for (const [line, words, openQuote] of cases)
    it(`reads ${JSON.stringify(line)}`, () =>
      assert.deepEqual(splitWords(line), openQuote === undefined ? { words } : { words, openQuote }));

  it('writes what it reads', () => {
    const lists = [['a'], ['two words', ''], ['"', "'", '\\', '\\"', ' '], ['--x=1', 'C:\\dir', 'tab\there']];
    for (const list of lists) assert.deepEqual(splitWords(joinWords(list)), { words: list });
    for (const list of [...lists, ['["a"]', 'b'], ['[', ']']])
      assert.deepEqual(readParameterList(joinWords(list)), list);
  });

  it('may be a JSON list of texts, as the document shows it', () => {
    assert.deepEqual(readParameterList(' ["a b", "c"] '), ['a b', 'c']);
    assert.deepEqual(readParameterList('[]'), []);
    assert.deepEqual(readParameterList('a ["b"]'), ['a', '[b]']);
  });

  it('is told where it is neither', () => {
    assert.match(String(readParameterList('["a"')), /JSON list/);
    assert.match(String(readParameterList('[1, true]')), /texts/);
    assert.match(String(readParameterList('a "b')), /quotation mark/);
  });
});

describe('parameters of one run', () => {
  holdTrail(import.meta.url, '-2');
  const notebook = { notebook_task: { notebook_path: '/n' } };

  it('are made smaller one by one where they are too large, and none is made larger then', async () => {
    const bench = new Bench();
    const long = 'x'.repeat(9000);
    bench.picks = ['a', 'b', 'b', /Run with these/];
    bench.inputs = ['y'.repeat(8999), 'z'.repeat(9000), 'z'.repeat(8999), 'z'];
    const edited = await editParameters(bench.services.ui, 't', notebook, { notebook_params: { a: long, b: long } });
    assert.equal(bench.trail.filter((line) => line.startsWith('refused: ')).length, 1);
    assert.deepEqual(edited, { notebook_params: { a: 'y'.repeat(8999), b: 'z' } });
  });

  it('may be added by name; a name or value that is not ASCII is refused', async () => {
    const bench = new Bench();
    bench.picks = [/Add a parameter/, /Add a parameter/, /Run with these/];
    bench.inputs = ['größe', 'size', 'ü', 'u', ''];
    assert.deepEqual(await editParameters(bench.services.ui, 't', notebook, {}), { notebook_params: { size: 'u' } });
    assert.equal(bench.trail.length, 2, bench.trail.join('\n'));
    bench.picks = [/Add a parameter/, /Run with these/];
    bench.inputs = ['\x7f', '\x80', 'as ASCII'];
    assert.deepEqual(await editParameters(bench.services.ui, 't', notebook, {}), {
      notebook_params: { '\x7f': 'as ASCII' },
    });
    assert.equal(bench.trail.at(-1), 'refused: Parameters hold ASCII characters only; "\x80" is not one.');
  });

  it('are none without a name', async () => {
    const bench = new Bench();
    bench.picks = [/Add a parameter/, /Run with these/];
    bench.inputs = [''];
    assert.deepEqual(await editParameters(bench.services.ui, 't', notebook, {}), { notebook_params: {} });
  });

  it('are those of the kind of task, none for one that takes none, and nothing where the user gives up', async () => {
    const bench = new Bench();
    const python = { spark_python_task: { python_file: '/a.py', parameters: ['a b'] } };
    assert.deepEqual(defaultParameters(python), { python_params: ['a b'] });
    bench.inputs = ['["x", "y z"]'];
    assert.deepEqual(await editParameters(bench.services.ui, 't', python, { python_params: ['a b'] }), {
      python_params: ['x', 'y z'],
    });
    bench.giveUpInput = true;
    assert.equal(await editParameters(bench.services.ui, 't', python, {}), undefined);
    assert.deepEqual(await editParameters(bench.services.ui, 't', { pipeline_task: { pipeline_id: 'p' } }, {}), {});
    assert.deepEqual(defaultParameters(undefined), {});
  });
});
