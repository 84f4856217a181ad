import assert from 'node:assert/strict';
import { fileReferences } from '../../../../src/jobfile/services/workspaceFiles.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

const found = (text: string): unknown[] =>
  fileReferences(parseDocument(text)).map(({ candidates, problem }) => [
    candidates,
    text.slice(problem.start, problem.end),
    problem.severity,
  ]);

describe('fileReferences', () => {
  it('finds the workspace paths that a run opens, and where each may be', () => {
    assert.deepEqual(found('name: x\nspark_python_task: {python_file: /a b.py}\n'), [
      [['/a b.py'], '/a b.py', 'warning'],
    ]);
    assert.deepEqual(found('settings:\n  notebook_task:\n    notebook_path: "/n"\n'), [
      [['/n', '/n.ipynb', '/n.py', '/n.sql', '/n.r', '/n.R', '/n.scala'], '"/n"', 'warning'],
    ]);
    assert.deepEqual(found('spark_python_task: {python_file: /Workspace/a.py}\n'), [
      [['/Workspace/a.py', '/a.py'], '/Workspace/a.py', 'warning'],
    ]);
  });

  it('leaves alone what is no path of the workspace, is known later, is broken, or is asked to be left', () => {
    const texts = [
      'dfs:/a.py',
      'file:/a.py',
      'a.py',
      '/',
      '/a/',
      '/{{job_id}}.py',
      '',
      '[/a.py]',
      '5',
      '/a.py # millrace-ignore: missingFile',
    ];
    assert.deepEqual(
      texts.flatMap((value) => found(`spark_python_task:\n  python_file: ${value}\n`)),
      [],
    );
    assert.deepEqual([...found(''), ...found('[a]'), ...found('spark_python_task: /a.py')], []);
  });
});
