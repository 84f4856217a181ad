import assert from 'node:assert/strict';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { toYaml, valueToYaml } from '../../../../src/jobfile/services/toYaml.ts';

describe('settings as a job file', () => {
  const odd = [
    'yes',
    'No',
    '0123',
    '1e3',
    'null',
    '~',
    '',
    ' x ',
    '- a',
    'a: b',
    '# c',
    '12:30',
    'ä "q" \'s\'',
    `${'word '.repeat(60)}end`,
  ];
  const settings = {
    spark_python_task: { parameters: [...odd, 'two\nlines\n'], python_file: '/a.py' },
    unknown_field: { b: 1, a: [] },
    name: '0x1F',
    run_job_task: { job_id: '9007199254740993' },
    existing_cluster_id: 'c',
  };

  it('have the order of the document, unknown fields last, and no line is folded', () => {
    const text = toYaml(settings, { jobId: '9223372036854775807' });
    assert.deepEqual(
      [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name),
      ['job_id', 'name', 'existing_cluster_id', 'spark_python_task', 'run_job_task', 'unknown_field'],
    );
    assert.match(text, /^job_id: 9223372036854775807\nname: ["']0x1F["']\n/);
    assert.match(text, / {2}job_id: 9007199254740993\n/);
    assert.match(text, /^ {4}- (?:word ){60}end$/m);
    for (const word of ['yes', 'No', '0123', '12:30']) assert.match(text, new RegExp(`- ["']${word}["']\\n`), word);
  });

  it('are read back as they were', () => {
    const { settings: read } = parseJobFile(toYaml({ ...settings, run_job_task: undefined }));
    const task = (read as typeof settings | undefined)?.spark_python_task;
    assert.deepEqual(task?.parameters, [...odd, 'two\nlines\n']);
  });

  it('follow the order of a file that is there', () => {
    const like = 'existing_cluster_id: x\nspark_python_task:\n  python_file: y\n  parameters: []\nname: z\n';
    assert.deepEqual([...toYaml(settings, { like }).matchAll(/^(\w+):/gm)].map(([, name]) => name).slice(0, 3), [
      'existing_cluster_id',
      'spark_python_task',
      'name',
    ]);
    assert.match(valueToYaml({ b: ['1'], a: 'no' }), /^b:\n {2}- "1"\na: "no"\n$/);
  });
});
