import assert from 'node:assert/strict';
import { nearestFile, pathFrom } from '../../../../src/commands/fix/nearestFile.ts';

describe('the file that a wrong path may mean', () => {
  const cases: readonly (readonly [path: string, files: readonly string[], meant: string | undefined])[] = [
    ['jobs/load.py', ['old/load.py', 'old/loads.py'], 'old/load.py'],
    ['jobs/LOAD.py', ['old/load.py', 'jobs/loads.py'], 'old/load.py'],
    ['jobs/load', ['old/Load.ipynb', 'jobs/loads.py'], 'old/Load.ipynb'],
    ['jobs/load.py', ['a/load.py', 'b/load.py'], undefined],
    ['jobs/load.py', ['load.py', 'old/loads.py'], 'load.py'],
    // Of names that are near, the one beside it is meant.
    ['jobs/laod.py', ['jobs/load.py', 'old/load.py'], 'jobs/load.py'],
    ['jobs/laod.py', ['jobs/load.py', 'jobs/deep/load.py', 'zebra.py'], 'jobs/load.py'],
    ['laod.py', ['load.py', 'old/load.py'], 'load.py'],
    // Then the one whose whole path is near, then whose name is.
    ['jobss/laod.py', ['jobs/load.py', 'archive/of/all/load.py'], 'jobs/load.py'],
    ['jobs/laod.py', ['archive/of/all/load.py', 'jobs/zebra.py'], 'archive/of/all/load.py'],
    ['jobs/laod.py', ['archive/load.py', 'other/of/all/load.py'], undefined],
    ['jobs/v1.2.py', ['jobs/v1.3.py', 'jobs/zebra.py'], 'jobs/v1.3.py'],
    ['jobs/zebra.py', ['jobs/load.py'], undefined],
    ['jobs/load.py', [], undefined],
  ];
  for (const [path, files, meant] of cases)
    it(`${path} among ${files.join(', ') || 'none'}: ${meant ?? 'none'}`, () =>
      assert.equal(nearestFile(path, files), meant));

  it('is written from the folder of the program', () => {
    assert.equal(pathFrom('jobs', 'jobs/data/x.csv'), 'data/x.csv');
    assert.equal(pathFrom('jobs/etl', 'data/x.csv'), '../../data/x.csv');
    assert.equal(pathFrom('/jobs//etl/', 'jobs/x.csv'), '../x.csv');
    assert.equal(pathFrom('', 'x.csv'), 'x.csv');
    assert.equal(pathFrom('jobs', 'jobs'), '../jobs', 'a file of the name of the folder');
  });
});
