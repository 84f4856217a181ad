import assert from 'node:assert/strict';
import { packageOf } from '../../../src/shared/pythonPackages.ts';

describe('the package that has a module', () => {
  it('is known, or is of its name with hyphens', () => {
    for (const [module, expected] of [
      ['sklearn', 'scikit-learn'],
      ['yaml', 'pyyaml'],
      ['dotenv', 'python-dotenv'],
      ['MySQLdb', 'mysqlclient'],
      ['pandas', 'pandas'],
      ['my_own_package', 'my-own-package'],
    ] as const)
      assert.equal(packageOf(module).toLowerCase(), expected);
  });
});
