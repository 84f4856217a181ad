import assert from 'node:assert/strict';
import { fileReferences, missingFileProblems } from '../../../../src/jobfile/services/workspaceFiles.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

const found = (text: string): unknown[] =>
  fileReferences(parseDocument(text)).map(({ candidates, start, end }) => [candidates, text.slice(start, end)]);

describe('fileReferences', () => {
  it('finds the workspace paths that a run opens, and where each may be', () => {
    assert.deepEqual(found('name: x\nspark_python_task: {python_file: /a b.py}\n'), [[['/a b.py'], '/a b.py']]);
    assert.deepEqual(found('settings:\n  notebook_task:\n    notebook_path: "/n"\n'), [
      [['/n', '/n.ipynb', '/n.py', '/n.sql', '/n.r', '/n.R', '/n.scala'], '"/n"'],
    ]);
    assert.deepEqual(found('spark_python_task: {python_file: /Workspace/a.py}\n'), [
      [['/Workspace/a.py', '/a.py'], '/Workspace/a.py'],
    ]);
  });

  it('leaves alone what is no path of the workspace, is known later or is broken', () => {
    const texts = ['dfs:/a.py', 'file:/a.py', 'a.py', '/', '/a/', '/{{job_id}}.py', '', '[/a.py]', '5'];
    assert.deepEqual(
      texts.flatMap((value) => found(`spark_python_task:\n  python_file: ${value}\n`)),
      [],
    );
    assert.deepEqual([...found(''), ...found('[a]'), ...found('spark_python_task: /a.py')], []);
  });

  it('say which file can be made in their place, and none outside of the folder', () => {
    const newFile = (task: string): string | undefined => {
      const document = parseDocument(task);
      return missingFileProblems(document, fileReferences(document))[0]?.data?.newFile;
    };
    assert.deepEqual(
      ['/a.py', '/b/c d.py', '/a.txt', '/../a.py', '/a/../../b.py'].map((path) =>
        newFile(`spark_python_task:\n  python_file: ${path}\n`),
      ),
      ['/a.py', '/b/c d.py', undefined, undefined, undefined],
    );
    assert.deepEqual(
      ['/r', '/r.py', '/Workspace/Users/me/r'].map((path) => newFile(`notebook_task:\n  notebook_path: ${path}\n`)),
      ['/r.py', '/r.py', '/Workspace/Users/me/r.py'],
    );
  });
});
