/** Packages whose name on PyPI is another than that of the module. */
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

/** The package that has the module, as far as its name tells. */
export function packageOf(module: string): string {
  return packageOfModule[module] ?? module.replaceAll('_', '-');
}

/** Modules that are meant when a name is near to theirs: of Python itself, and of packages that nearly everyone knows. */
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
