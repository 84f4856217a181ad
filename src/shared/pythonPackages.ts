/** Packages whose name on PyPI differs from the module's. */
const packageOfModule: Readonly<Record<string, string>> = {
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

/** Returns the package of a module, judging by its name. */
export function packageOf(module: string): string {
  return packageOfModule[module] ?? module.replaceAll('_', '-');
}

/** Modules that a similar name may mean: Python's own, and those of well-known packages. */
export const knownModules: readonly string[] = [
  ...'argparse collections csv datetime functools itertools json logging math os pathlib random re shutil sqlite3'.split(
    ' ',
  ),
  ...'statistics subprocess sys tempfile time typing urllib uuid'.split(' '),
];
export const knownPackages: readonly string[] = [
  ...'pandas numpy scipy matplotlib requests pyarrow pyspark polars sqlalchemy boto3 pytest click rich tqdm six'.split(
    ' ',
  ),
  ...'tabulate jinja2 lxml openpyxl httpx pydantic duckdb seaborn plotly xgboost torch transformers simplejson'.split(
    ' ',
  ),
  ...Object.keys(packageOfModule),
];
