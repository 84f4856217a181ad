import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunnerLibrary } from '../../../../src/service/runners/runner.ts';
import { readVersions } from '../../../../src/service/runners/runOutput.ts';
import { findVersions, type RunVersions } from '../../../../src/service/runners/runVersions.ts';
import { openBelow, openWorkbench, type Workbench } from './workbench.ts';

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
    assert.deepEqual(await openBelow(await realpath(folder)), [], 'what was read is not held open');
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

  it('are those of whole names and of exact pins alone', async () => {
    const place = join(folder, 'exact');
    const entries = ['beautifulsoup4-4.12.dist-info', 'opencv_python-4.9.dist-info', 'python_dateutil-2.9.dist-info'];
    entries.push('Pillow-10.0.dist-info', 'scikit_learn-1.4.dist-info', 'a__b-1.0RC1+local-py3.egg-info', 'plain-1');
    entries.push('cut-1.dist-info.bak', 'a-b-c-d.dist-info', 'os-1.dist-info');
    for (const entry of entries) await mkdir(join(place, entry), { recursive: true });
    const exact = async (packages: RunnerLibrary[], text = ''): Promise<RunVersions> => {
      await writeFile(join(folder, 'exact.py'), text);
      return findVersions({ version: '3', sitePackages: ['/none', place] }, packages, join(folder, 'exact.py'));
    };
    const code = [
      'import bs4, cv2 as c,dateutil',
      '\tfrom PIL.Image import x, plain',
      'from sklearn import os, cut',
      'from\tsklearn import a',
      'reimport os',
      'important os',
      'from . import os',
      'import 1os',
      'x = "import os"',
    ].join('\n');
    assert.deepEqual(await exact([], code), {
      line: 'Python 3, beautifulsoup4 4.12, opencv-python 4.9, python-dateutil 2.9, Pillow 10.0, scikit-learn 1.4',
      differing: undefined,
    });
    assert.equal((await exact([], 'import os\nsparks.x')).line, 'Python 3, os 1');
    const pinned = async (requirement: string): Promise<string | undefined> =>
      (await exact([{ pypi: { package: requirement } }])).differing?.slice('It ran with '.length).split(':')[0];
    for (const requirement of ['a.b==1.0rc1', 'a-b===1.0rc1', '-a_b==2', 'a-b>2', 'a-b!=2', 'a-b==2,<3', 'x a-b==2'])
      assert.equal(await pinned(requirement), undefined, requirement);
    for (const requirement of ['a.b==2', 'A_b[x] ==2', '  a-b===2 ', 'a-b==2;x', 'a-b== 2 ; python_version > "3"'])
      assert.equal(await pinned(requirement), 'a--b 1.0RC1+local, and the job pins 2', requirement);
    for (const whl of ['C:\\w\\os-2-py3-none-any.whl', '/w/os-2-1-py3-none-any.whl'])
      assert.equal(
        (await exact([{ whl }])).differing,
        'It ran with os 1, and the job pins 2: what works here may break there.',
      );
    for (const whl of ['/w/os-2-py3-none-any.zip', '/w/os-2.whl'])
      assert.equal((await exact([{ whl }])).line, 'Python 3');
  });

  it('are twelve without a sign that there are more, and of what stands in the first 256 KB of the code', async () => {
    const place = join(folder, 'twelve');
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    for (const name of names) await mkdir(join(place, `${name}-1.dist-info`), { recursive: true });
    const code = join(folder, 'long.py');
    const text = `import ${names.slice(1, 11).join(', ')}\n#`;
    const last = '\nimport p11\n';
    const filled = text + 'x'.repeat(256 * 1024 - text.length - last.length) + last;
    await writeFile(code, `${filled}import p0\n`);
    const of = async (libraries: RunnerLibrary[]): Promise<string> =>
      (await findVersions({ version: '3', sitePackages: [place] }, libraries, code)).line;
    assert.equal(
      await of([]),
      `Python 3, ${names
        .slice(1)
        .map((name) => `${name} 1`)
        .join(', ')}`,
    );
    assert.equal(await of([{ pypi: { package: 'p0' } }]), `Python 3, ${names.map((name) => `${name} 1`).join(', ')}`);
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
