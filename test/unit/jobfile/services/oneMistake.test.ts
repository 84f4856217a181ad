import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const aside = 'x-c: &c\n  spark_version: 15.4.x-scala2.12\n  node_type_id: m5.large\nx-d: &d {num_workers: 2}\n';
const rest = `name: a
new_cluster:
  MERGE
  num_workers: 2
  spark_conf:
    a: "b"
spark_python_task:
  python_file: /a.py
  parameters: [a, b]
email_notifications: &mail
  on_failure: [a@b.org]
max_retries: 1
`;
const files = [
  aside + rest.replace('MERGE', '<<: *c'),
  aside + rest.replace('MERGE', '<<: [*c, *d]'),
  aside
    .replace('&c', '')
    .replace('x-c:', 'x-c:\n  all: &c')
    .replace(/^ {2}(?=spark|node)/gm, '    ') + rest.replace('MERGE', '<<: *c'),
  rest.replace('MERGE', 'spark_version: x\n  node_type_id: m'),
];

/** What a slip of the finger makes of a line. */
const slips: Readonly<Record<string, (line: string) => string>> = {
  'no colon': (line) => line.replace(/:(?=\s|$)/, ''),
  'a colon too close': (line) => line.replace(/: /, ':'),
  'another sign for the colon': (line) => line.replace(/:(?=\s|$)/, ';'),
  'one blank more': (line) => ` ${line}`,
  'two blanks more': (line) => `  ${line}`,
  'one blank less': (line) => line.replace(/^ /, ''),
  'two blanks less': (line) => line.replace(/^ {2}/, ''),
  'a tab': (line) => line.replace(/^ {2}/, '\t'),
  'another alias': (line) => line.replace(/\*(\w)/, '*x$1'),
  'no mark of an alias': (line) => line.replaceAll('*', ''),
  'no closing quote': (line) => line.replace(/: /, ': "'),
  'half of what merges': (line) => line.replace('<<', '<'),
};

describe('one slip in a line', () => {
  for (const [slip, make] of Object.entries(slips)) {
    it(`is told once: ${slip}`, () => {
      for (const file of files) {
        const lines = file.trimEnd().split('\n');
        for (const [index, line] of lines.entries()) {
          const text = `${lines.with(index, make(line)).join('\n')}\n`;
          const found = validateText(text, { nowMs: 0 }).filter(({ severity }) => severity !== 'hint');
          assert.ok(found.length <= 1, `${text}${JSON.stringify(found, undefined, 1)}`);
        }
      }
    });
  }

  const told = (text: string): readonly (readonly string[])[] =>
    validateText(text, { nowMs: 0 }).map(({ code, severity, start, end }) => [code, severity, text.slice(start, end)]);

  it('is told where it is, as the error that it is', () => {
    const [merging = '', , , plain = ''] = files;
    for (const [from, to, wanted] of [
      ['  num_workers: 2\n', '', ['noSize', 'error', 'new_cluster']],
      ['  num_workers: 2\n  spark_conf:\n    a: "b"\n', 'num_workers: 2\n', ['misplacedField', 'error', 'num_workers']],
      ['  on_failure', 'on_failure', ['misplacedField', 'warning', 'on_failure']],
      ['    a:', '  a:', ['misplacedField', 'warning', 'a']],
      ['spark_python_task:', '  spark_python_task:', ['misplacedField', 'error', 'spark_python_task']],
    ] as const)
      assert.deepEqual(told(plain.replace(from, to)), [wanted], to);
    for (const [from, to, wanted] of [
      ['<<: *c', '<<: c', ['wrongType', 'error', '<<: c']],
      ['<<: *c', '<: *c', ['wrongType', 'error', '<: *c']],
      ['<<: *c', '<<:*c', ['syntax', 'error', '<<:*c']],
      ['  node_type_id: m5', '  node_type_id m5', ['syntax', 'error', 'node_type_id m5.large']],
    ] as const)
      assert.deepEqual(told(merging.replace(from, to)), [wanted], to);
  });

  it('hides no other', () => {
    const [merging = '', , , plain = ''] = files;
    const few = plain.replace('  num_workers: 2\n  spark_conf:\n    a: "b"\n', 'num_workers: 2\n');
    assert.deepEqual(told(few.replace('  spark_version: x\n', '')), [
      ['missingField', 'error', 'new_cluster'],
      ['misplacedField', 'error', 'num_workers'],
    ]);
    assert.deepEqual(told(merging.replace('<<: *c', '<<: c').replace('max_retries: 1', 'max_retries: x')), [
      ['wrongType', 'error', '<<: c'],
      ['wrongType', 'error', 'x'],
    ]);
    assert.deepEqual(told('spark_python_task: {python_fil:"/a.py"}\nexisting_cluster_id: c\n'), [
      ['unknownField', 'error', 'python_fil'],
    ]);
  });
});
