import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Python } from '../../../../src/service/runners/python.ts';
import { findSparkSubmit } from '../../../../src/service/runners/sparkTools.ts';

describe('which spark-submit is used', function () {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-spark-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function program(path: string, mode = 0o755): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, mode);
    return file;
  }
  const python = (): Python => ({ pysparkHome: join(folder, 'pyspark') }) as Python;
  const find = (
    options: { sparkSubmit?: string },
    withPyspark: boolean,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<string | undefined> => findSparkSubmit(options, withPyspark ? python() : undefined, environment);

  it('is the one of the settings and no other', async () => {
    const own = program('own/submit');
    const onPath = program('bin/spark-submit');
    const environment = { PATH: dirname(onPath) };
    assert.equal(await find({ sparkSubmit: own }, true, environment), own);
    assert.equal(await find({ sparkSubmit: join(folder, 'nowhere') }, true, environment), undefined);
  });

  it('else that of SPARK_HOME, of the PATH, or of the pyspark of Python, where that is installed', async () => {
    assert.equal(await find({}, true, { PATH: '' }), undefined);
    const ofPython = program('pyspark/bin/spark-submit');
    assert.equal(await find({}, true, { PATH: '' }), ofPython);
    const onPath = program('bin/spark-submit');
    const environment = { PATH: dirname(onPath) };
    assert.equal(await find({}, true, environment), ofPython);
    assert.equal(await find({}, false, environment), onPath);
    const emptyHome = { ...environment, SPARK_HOME: join(folder, 'empty') };
    assert.equal(await find({}, true, emptyHome), ofPython);
    chmodSync(ofPython, 0o644);
    assert.equal(await find({}, true, emptyHome), onPath, 'one that cannot be run is none');
    assert.equal(await find({}, true, environment), onPath, 'one that cannot be run is none');
    const ofHome = program('home/bin/spark-submit');
    assert.equal(await find({}, true, { ...environment, SPARK_HOME: join(folder, 'home') }), ofHome);
    assert.equal(await find({}, false, { ...environment, SPARK_HOME: join(folder, 'empty') }), onPath);
  });
});
