import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/paths.ts';

/** In characters. The formatter breaks code at 120; what it leaves longer is text that somebody reads, or should break by hand. */
const longestLine = 160;
/** In lines. A file that says more has two things to say. */
const longestFile = 400;

/** Files that are longer all the same, and by how much at most. Each number only falls, and what needs it no longer leaves the list. */
const longFiles: Readonly<Record<string, number>> = {
  'test/e2e/chatPage.test.ts': 497,
  'test/unit/chat/webview/views.test.ts': 568,
  'test/unit/jobfile/host/jobFileFeatures.test.ts': 403,
};

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
  it(`have no line of more than ${longestLine} characters`, () => {
    const long = sources().flatMap(({ name, lines }) =>
      lines.flatMap((line, index) => (line.length > longestLine ? [`${name}:${index + 1}`] : [])),
    );
    assert.deepEqual(long, []);
  });

  it(`have no file of more than ${longestFile} lines but those of the list`, () => {
    const long = sources().filter(({ lines }) => lines.length > longestFile);
    assert.deepEqual(
      long
        .filter(({ name, lines }) => lines.length > (longFiles[name] ?? 0))
        .map(({ name, lines }) => `${name}: ${lines.length}`),
      [],
    );
    assert.deepEqual(
      Object.keys(longFiles).filter((name) => !long.some((file) => file.name === name)),
      [],
      'these need to be on the list no longer',
    );
  });
});
