import assert from 'node:assert/strict';
import { childEnvironment } from '../../../../src/service/runners/childEnvironment.ts';

describe('what of its environment the service gives to tasks', () => {
  const names = (variables: Record<string, string>, named?: readonly string[]): string[] =>
    Object.keys(childEnvironment(variables, { named }));

  it('is what Java, Spark, conda, proxies, certificates and languages need', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/a',
      JAVA_HOME: '/jdk',
      JAVA_TOOL_OPTIONS: '-Xmx1g',
      JDK_JAVA_OPTIONS: '-Xss2m',
      _JAVA_OPTIONS: '-Duser.language=en',
      SPARK_HOME: '/spark',
      PYSPARK_PYTHON: 'python3',
      HADOOP_CONF_DIR: '/etc/hadoop',
      CONDA_PREFIX: '/conda',
      GDAL_DATA: '/conda/share/gdal',
      PROJ_DATA: '/conda/share/proj',
      PROJ_LIB: '/conda/share/proj',
      LD_LIBRARY_PATH: '/opt/lib',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      LOCALE_ARCHIVE: '/nix/locale',
      TZ: 'Asia/Tokyo',
      https_proxy: 'http://proxy.example:3128',
      NO_PROXY: 'localhost',
      SSL_CERT_FILE: '/etc/ssl/own.pem',
      NIX_SSL_CERT_FILE: '/etc/ssl/own.pem',
      Path: 'C:\\',
      'ProgramFiles(x86)': 'C:\\P',
    };
    assert.deepEqual(names(needed), Object.keys(needed));
  });

  it('holds no credentials, whatever their names', () => {
    assert.deepEqual(
      names({
        SSH_AUTH_SOCK: '/tmp/agent',
        GITHUB_TOKEN: 'x',
        SPARK_AUTH_SECRET: 'x',
        CONDA_TOKEN: 'x',
        PIP_INDEX_URL: 'https://me:word@host/simple',
        HTTPS_PROXY: 'http://me:word@proxy:3128',
        JAVA_TOOL_OPTIONS: '-Djavax.net.ssl.trustStorePassword=word',
        KRB5CCNAME: '/tmp/krb5cc',
        NODE_OPTIONS: '--require x',
        VSCODE_IPC_HOOK: 'x',
        ELECTRON_RUN_AS_NODE: '1',
      }),
      [],
    );
  });

  it('holds what the user names, but nothing of the service', () => {
    assert.deepEqual(
      names({ SSH_AUTH_SOCK: '/tmp/agent', HTTPS_PROXY: 'http://me:word@proxy:3128', MILLRACE_TOKEN: 'x' }, [
        'SSH_AUTH_SOCK',
        'HTTPS_*',
        'MILLRACE_*',
        '*',
      ]),
      ['SSH_AUTH_SOCK', 'HTTPS_PROXY'],
    );
  });
});
