import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { scrubFromProcess } from '../../../../src/service/startup/scrubMemory.ts';

/** Overwrites what is in its environment as SECRET, then says what the system still shows of it. */
const child = new URL('./scrubChild.ts', import.meta.url);

describe('a secret in the command line and the environment of the service', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('is overwritten wherever the system shows it, and nothing else is', () => {
    const secret = 'hidden-secret';
    const shown = execFileSync(
      process.execPath,
      [
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
        '--disable-warning=ExperimentalWarning',
        child.pathname,
        `--a=${secret}`,
        `${secret}${secret}`,
        '--kept',
      ],
      { encoding: 'utf8', env: { SECRET: secret, OTHER: `before ${secret} after`, KEPT: 'kept' } },
    );
    const { line, environment } = JSON.parse(shown) as { line: string[]; environment: string[] };
    const gone = 'x'.repeat(secret.length);
    assert.deepEqual(line.slice(-4), [`--a=${gone}`, `${gone}${gone}`, '--kept', '']);
    assert.deepEqual(environment.filter((each) => /^(?:SECRET|OTHER|KEPT)=/.test(each)).sort(), [
      'KEPT=kept',
      `OTHER=before ${gone} after`,
      `SECRET=${gone}`,
    ]);
  });

  it('leaves no file of the system open', () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let count = 0; count < 3; count += 1) scrubFromProcess('a secret that this process has not');
    assert.equal(open(), before);
  });
});
