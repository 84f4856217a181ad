import assert from 'node:assert/strict';
import { knownModules, knownPackages, packageOf } from '../../../src/shared/pythonPackages.ts';

/** What is imported of packages of PyPI that have another name. */
const moduleOf = {
  'scikit-learn': 'sklearn',
  pyyaml: 'yaml',
  'opencv-python': 'cv2',
  pillow: 'PIL',
  beautifulsoup4: 'bs4',
  'python-dateutil': 'dateutil',
  'python-dotenv': 'dotenv',
  'psycopg2-binary': 'psycopg2',
  mysqlclient: 'MySQLdb',
  pycryptodome: 'Crypto',
  'google-cloud-core': 'google',
  pyjwt: 'jwt',
  'scikit-image': 'skimage',
};

describe('the package that has a module', () => {
  it('is known, or is of its name with hyphens', () => {
    for (const [name, module] of Object.entries(moduleOf)) assert.equal(packageOf(module), name);
    for (const [module, name] of [
      ['pandas', 'pandas'],
      ['my_own_package', 'my-own-package'],
      ['Yaml', 'Yaml'],
    ] as const)
      assert.equal(packageOf(module), name);
  });

  it('may be one of those that nearly everyone knows, each by the name that it is imported by', () => {
    for (const module of Object.values(moduleOf)) assert.ok(knownPackages.includes(module), module);
    const everyones =
      'pandas numpy scipy matplotlib requests pyarrow pyspark polars sqlalchemy boto3 pytest click rich tqdm six';
    const more =
      'tabulate jinja2 lxml openpyxl httpx pydantic duckdb seaborn plotly xgboost torch transformers simplejson';
    for (const module of `${everyones} ${more}`.split(' ')) assert.ok(knownPackages.includes(module), module);
    const own =
      'argparse collections csv datetime functools itertools json logging math os pathlib random re shutil sqlite3';
    for (const module of `${own} statistics subprocess sys tempfile time typing urllib uuid`.split(' '))
      assert.ok(knownModules.includes(module), module);
    assert.equal(new Set([...knownModules, ...knownPackages]).size, knownModules.length + knownPackages.length);
  });
});
