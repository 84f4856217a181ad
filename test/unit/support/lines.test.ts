import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/paths.ts';

/** In characters. The formatter breaks code at 120; what it leaves longer is text that somebody reads, or should break by hand. */
const maxLineLength = 160;
/** In lines. A file that says more has two things to say. */
const maxFileLength = 400;

function sources(): { name: string; lines: string[] }[] {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:ts|cts|cjs|mjs|js|css|py|pl|R)$/.test(name) && !name.startsWith('test/fixtures/'))
    .map((name) => ({ name, lines: readFileSync(join(root, name), 'utf8').trimEnd().split('\n') }));
}

describe('the sources', () => {
  it(`have no line of more than ${maxLineLength} characters`, () => {
    const long = sources().flatMap(({ name, lines }) =>
      lines.flatMap((line, index) => (line.length > maxLineLength ? [`${name}:${index + 1}`] : [])),
    );
    assert.deepEqual(long, []);
  });

  it(`have no file of more than ${maxFileLength} lines`, () => {
    const long = sources().filter(({ lines }) => lines.length > maxFileLength);
    assert.deepEqual(
      long.map(({ name, lines }) => `${name}: ${lines.length}`),
      [],
    );
  });
});
