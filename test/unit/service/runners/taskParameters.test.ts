import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import { lastJavaException, lastTraceback } from '../../../../src/service/runners/pythonFileRunner.ts';
import { mapSparkSubmitParameters } from '../../../../src/service/runners/sparkSubmission.ts';
import { isLoopbackMaster } from '../../../../src/service/runners/sparkTools.ts';
import {
  notebookParameters,
  positionalParameters,
  substitute,
} from '../../../../src/service/runners/taskParameters.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('task parameters', () => {
  it('replaces references once and leaves what it does not know', () => {
    assert.equal(
      substitute('{{run_id}}-{{ job.id }}-{{other}}-{{toString}}', { run_id: '{{job.id}}', 'job.id': '5' }),
      '{{job.id}}-5-{{other}}-{{toString}}',
    );
  });

  it('merges notebook parameters and overrides lists', () => {
    assert.deepEqual(
      notebookParameters(
        { notebook_path: '/x', base_parameters: { a: '1', b: '2' } },
        { notebook_params: { b: '3', c: '{{run_id}}' } },
        { run_id: '9' },
      ),
      { a: '1', b: '3', c: '9' },
    );
    assert.deepEqual(positionalParameters(['a'], undefined, {}), ['a']);
    assert.deepEqual(positionalParameters(['a'], [], {}), []);
    assert.deepEqual(positionalParameters(null, null, {}), []);
  });

  it('knows masters that are this machine', () => {
    assert.deepEqual(
      [
        'local[*]',
        'local',
        'spark://127.0.0.1:7077',
        'spark://localhost:7077',
        'spark://host:7077',
        'yarn',
        'k8s://https://x',
      ].map(isLoopbackMaster),
      [true, true, true, true, false, false, false],
    );
  });

  it('maps the files of spark-submit and refuses what the service sets', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-parameters-')));
    try {
      await mkdir(join(folder, 'data', 'dfs'), { recursive: true });
      for (const name of ['a.jar', 'b.jar']) await writeFile(join(folder, 'data', 'dfs', name), '');
      await writeFile(join(folder, 'x.py'), '');
      const files = createFileMap({ root: folder, dataFolder: join(folder, 'data') });
      const map = (...parameters: string[]): Promise<string[]> => mapSparkSubmitParameters(parameters, files);
      const dfs = (name: string): string => join(folder, 'data', 'dfs', name);
      assert.deepEqual(
        await map(
          '--class',
          'org.X',
          '--conf',
          'a=b',
          '--jars=dfs:/a.jar,https://x/y.jar',
          '-v',
          'dfs:/b.jar',
          '--master',
          'dfs:/argument',
        ),
        [
          '--class',
          'org.X',
          '--conf',
          'a=b',
          '--jars',
          `${dfs('a.jar')},https://x/y.jar`,
          '-v',
          dfs('b.jar'),
          '--master',
          'dfs:/argument',
        ],
      );
      assert.deepEqual(await map('/x.py', '1'), [join(folder, 'x.py'), '1']);
      assert.deepEqual(await map('--class', 'org.X', 'spark-internal'), ['--class', 'org.X', 'spark-internal']);
      for (const bad of [['--master', 'yarn'], ['--deploy-mode=cluster'], ['--executor-cores', '2'], ['--class']]) {
        await assert.rejects(
          map(...bad),
          (error) => isAppError(error) && error.kind === 'invalid' && error.message.includes(bad[0]!.split('=')[0]!),
        );
      }
      await assert.rejects(map('--jars', 'dfs:/none.jar'), (error) => isAppError(error) && error.kind === 'notFound');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('errors in output', () => {
  it('finds the last traceback among logs', () => {
    const text =
      '25/01/01 10:00:00 INFO X: start\nTraceback (most recent call last):\n  File "a.py", line 1, in ' +
      '<module>\n    f()\npkg.mod.MyError: it\nbroke\n25/01/01 10:00:01 INFO ShutdownHookManager: bye\n';
    assert.deepEqual(lastTraceback(text), {
      line: 'pkg.mod.MyError: it',
      trace:
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\npkg.mod.MyError: it\nbroke',
    });
    assert.equal(lastTraceback('nothing here'), undefined);
  });

  it('finds what a Java program died of', () => {
    const text =
      'WARN x\nException in thread "main" java.lang.IllegalStateException: no\n\tat A.b(A.java:1)\nCaused ' +
      'by: java.io.IOException: x\n\t... 1 more\n25/01/01 INFO bye\n';
    assert.deepEqual(lastJavaException(text), {
      line: 'java.lang.IllegalStateException: no',
      trace:
        'Exception in thread "main" java.lang.IllegalStateException: no\n\tat A.b(A.java:1)\nCaused by: java.io.IOException: x\n\t... 1 more',
    });
  });
});
