import assert from 'node:assert/strict';
import type { FileMap } from '../../../../src/service/base/fileMap.ts';
import { mapSparkSubmitParameters } from '../../../../src/service/runners/sparkSubmission.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('the parameters of spark-submit', () => {
  const asked: string[][] = [];
  const files = {
    existingFile: async (...given: string[]) => (asked.push(given), `<${given[0]}>`),
  } as unknown as FileMap;
  const map = (...parameters: string[]): Promise<string[]> => mapSparkSubmitParameters(parameters, files);
  beforeEach(() => void (asked.length = 0));

  for (const option of ['--jars', '--py-files', '--files', '--archives'])
    it(`of ${option} are files of this machine, each of a list`, async () => {
      assert.deepEqual(await map(option, '/a,dfs:/b#name,c.txt', 'dfs:/main.py', '/kept'), [
        option,
        '</a>,<dfs:/b>#name,c.txt',
        '<dfs:/main.py>',
        '/kept',
      ]);
      assert.deepEqual(asked, [
        ['/a', 'Spark file'],
        ['dfs:/b', 'Spark file'],
        ['dfs:/main.py', 'Spark file'],
      ]);
    });

  it('of other options, and what Spark finds by itself, stay as they are', async () => {
    for (const parameters of [
      ['--conf', '/a=/b', '--driver-memory', '1g', 'spark-internal'],
      ['--jars', 'http://h/a.jar,HTTPS://h/b.jar,hdfs://h/c.jar,local:/d.jar,ivy://g:a:1', 'https://h/main.jar'],
      ['-v', '--verbose', 'main.py', '/x'],
      ['--name', '', 'main.py', '', '--jars', '/x'],
      [],
    ])
      assert.deepEqual(await map(...parameters), parameters);
    assert.deepEqual(asked, []);
  });

  for (const [parameters, message, remedy] of [
    [
      ['--master', 'yarn'],
      'The parameter --master of the spark-submit task was not used: the service sets it itself.',
      'Take --master out of the parameters.',
    ],
    [
      ['--class', 'A', '--files'],
      'The parameter --files of the spark-submit task has no value; nothing was run.',
      'Give its value as the next parameter.',
    ],
  ] as const)
    it(`are refused: ${parameters.join(' ')}`, () =>
      assert.rejects(map(...parameters), (error) => {
        assert.ok(isAppError(error));
        assert.deepEqual([error.kind, error.message, error.remedy], ['invalid', message, remedy]);
        return true;
      }));
});
