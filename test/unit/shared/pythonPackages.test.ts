import assert from 'node:assert/strict';
import { knownModules, knownPackages, packageOf } from '../../../src/shared/pythonPackages.ts';

/** As PyPI has them. */
const others = {
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
  cv2: 'opencv-python',
  PIL: 'pillow',
  bs4: 'beautifulsoup4',
  dateutil: 'python-dateutil',
  dotenv: 'python-dotenv',
  psycopg2: 'psycopg2-binary',
  MySQLdb: 'mysqlclient',
  Crypto: 'pycryptodome',
  google: 'google-cloud-core',
  jwt: 'pyjwt',
  skimage: 'scikit-image',
};

describe('the package that has a module', () => {
  it('is known, or is of its name with hyphens', () => {
    for (const [module, name] of Object.entries(others)) assert.equal(packageOf(module), name);
    for (const [module, name] of [
      ['pandas', 'pandas'],
      ['my_own_package', 'my-own-package'],
      ['Yaml', 'Yaml'],
    ] as const)
      assert.equal(packageOf(module), name);
  });

  it('may be one of those that nearly everyone knows, each by the name that it is imported by', () => {
    for (const module of Object.keys(others)) assert.ok(knownPackages.includes(module), module);
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
