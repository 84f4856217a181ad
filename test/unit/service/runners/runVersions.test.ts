import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVersions } from '../../../../src/service/runners/runOutput.ts';
import { findVersions } from '../../../../src/service/runners/runVersions.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

describe('the versions that a run has', () => {
  let folder: string;
  let own: string;
  let system: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-versions-'));
    [own, system] = [join(folder, 'own'), join(folder, 'system')];
    const installed = {
      [own]: ['pandas-2.2.1.dist-info', 'pandas', 'typing_extensions-4.9.0.dist-info', 'six-1.16.0-py3.11.egg-info'],
      [system]: [
        'pandas-1.5.3.dist-info',
        'PyYAML-6.0.1.dist-info',
        'pyspark-3.5.1.dist-info',
        'Extra.Dots-2.0.dist-info',
      ],
    };
    for (const [place, names] of Object.entries(installed))
      for (const name of names) await mkdir(join(place, name), { recursive: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const python = (): { version: string; sitePackages: string[] } => ({
    version: '3.11.2',
    sitePackages: [own, system],
  });
  const of = (packages: string[], code?: string): ReturnType<typeof findVersions> =>
    findVersions(
      python(),
      packages.map((each) => (each.endsWith('.whl') ? { whl: each } : { pypi: { package: each } })),
      code,
    );

  it('are those of the libraries first, then of what the code imports, as each is found first', async () => {
    const code = join(folder, 'a.py');
    await writeFile(
      code,
      'import os, yaml as y\nfrom pandas.api import types\nimport six  # import extra_dots\n\ntext = "from pandas"\n',
    );
    assert.equal((await of([], code)).line, 'Python 3.11.2, PyYAML 6.0.1, pandas 2.2.1, six 1.16.0');
    const line = 'Python 3.11.2, typing-extensions 4.9.0, Extra.Dots 2.0, PyYAML 6.0.1, pandas 2.2.1, six 1.16.0';
    assert.equal((await of(['Typing.Extensions>4', 'dfs:/x/extra_dots-2.0-py3-none-any.whl'], code)).line, line);
    assert.equal((await of(['absent==1'])).line, 'Python 3.11.2');
  });

  it('are told once of a package that is named twice, however it is written, and those of one folder before the next', async () => {
    const code = join(folder, 'twice.py');
    await writeFile(code, 'import pandas\nfrom pandas import DataFrame\nimport typing_extensions, pandas as pd\n');
    assert.equal(
      (await of(['Pandas==2.2.1', 'pandas', 'Typing.Extensions'], code)).line,
      'Python 3.11.2, pandas 2.2.1, typing-extensions 4.9.0',
    );
    assert.equal((await of(['pandas==2.2.1'], code)).differing, undefined, 'the one that is imported counts');
    assert.equal((await of(['', '-e .', 'x.whl', 'pandas-2.2.1.whl'])).line, 'Python 3.11.2');
  });

  it('are found in the JSON of a notebook, and with the session that nobody imports', async () => {
    const code = join(folder, 'a.ipynb');
    await writeFile(
      code,
      JSON.stringify({ cells: [{ source: ['import pandas as pd\n', 'spark.range(1)'] }] }, null, 1),
    );
    assert.equal((await of([], code)).line, 'Python 3.11.2, pandas 2.2.1, pyspark 3.5.1');
  });

  it('differ from what the job pins only where they are others', async () => {
    const differing = async (...packages: string[]): Promise<string | undefined> => (await of(packages)).differing;
    assert.equal(
      await differing('pandas[test] == 2.0.3', 'six==1.16', 'pyspark==3.4.0 ; python_version > "3"'),
      'It ran with pandas 2.2.1, and the job pins 2.0.3; pyspark 3.5.1, and the job pins 3.4.0: what works here may break there.',
    );
    assert.match((await differing('dfs:/x/six-1.17-py3-none-any.whl')) ?? '', /six 1\.16\.0, and the job pins 1\.17/);
    for (const same of [
      'pandas',
      'pandas==2.2.1',
      'pandas>=1',
      'pandas==2.*',
      'pandas>=1,<3',
      'gone==1',
      'six==1.16.0.0',
    ])
      assert.equal(await differing(same), undefined, same);
  });

  it('are a few, and those of Python alone where nothing is known', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `many${index}`);
    for (const name of names) await mkdir(join(own, `${name}-1.dist-info`));
    const { line } = await of(names);
    assert.equal(
      line,
      `Python 3.11.2, ${names
        .slice(0, 12)
        .map((name) => `${name} 1`)
        .join(', ')}, …`,
    );
    assert.equal((await findVersions({ version: '3.9.1' }, [{ jar: 'x' }], '/none')).line, 'Python 3.9.1');
  });

  describe('in a run', () => {
    let bench: Workbench;
    before(async () => {
      bench = await openWorkbench();
    });
    after(() => bench.remove());

    it('are noted down beside its output, which is the program’s alone', async () => {
      await bench.write('a.py', 'print("own")\n');
      await bench.write('book.py', '# Databricks notebook source\nprint(1)\n');
      await bench.run({ runId: '1', task: { spark_python_task: { python_file: '/a.py' } } });
      await bench.run({ runId: '2', task: { notebook_task: { notebook_path: '/book' } } });
      for (const id of ['1', '2']) assert.match((await readVersions(bench.runFolder(id))) ?? '', /^Python 3\.\d+\.\d+/);
      assert.equal(await readVersions(bench.runFolder('3')), undefined);
    });
  });
});
