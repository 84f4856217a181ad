import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../support/paths.ts';

describe('a test that is too long for one file', () => {
  const files = fs.globSync('test/unit/**/*.{test,part}.ts', { cwd: root });
  const imported = files.flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/^import '(\..*\.part\.ts)';$/gm)].map(
      ([, part = '']) => path.join(path.dirname(file), part),
    ),
  );

  it('imports its parts, each of which belongs to one, so that none is forgotten or run twice', () => {
    const parts = files.filter((file) => file.endsWith('.part.ts'));
    assert.ok(parts.length > 20);
    assert.deepEqual(imported.toSorted(), parts.toSorted());
  });
});
