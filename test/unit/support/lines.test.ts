import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/paths.ts';

/** In characters. The formatter breaks code at 120; what it leaves longer is text that somebody reads, or should break by hand. */
const longestLine = 160;
/** In lines. A file that says more has two things to say. */
const longestFile = 400;

/** Lines of data in the tests, as they come over the wire or from a program. The number only falls. */
const longDataLines = 38;

/** Files that are longer all the same, and by how much at most. Each number only falls. */
const longFiles: Readonly<Record<string, number>> = {
  'test/e2e/chatPage.test.ts': 518,
  'test/support/editorStandIn/vscode.ts': 432,
  'test/unit/api/faults.test.ts': 641,
  'test/unit/api/jobs/settingsRules.test.ts': 675,
  'test/unit/chat/webview/views.test.ts': 617,
  'test/unit/connection/connector.test.ts': 524,
  'test/unit/jobfile/host/jobFileFeatures.test.ts': 403,
  'test/unit/service/http/document.test.ts': 454,
  'test/unit/service/models/upstream/upstreams.test.ts': 846,
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

/** What is counted of the files, where it is more than what may be. */
function overTheList(
  count: (lines: string[]) => number,
  list: Readonly<Record<string, number>>,
  folder = '',
): string[] {
  return sources()
    .filter(({ name }) => name.startsWith(folder))
    .map(({ name, lines }) => ({ name, number: count(lines) }))
    .filter(({ name, number }) => number > (list[name] ?? 0))
    .map(({ name, number }) => `${name}: ${number}`);
}

const countLong = (lines: string[]): number => lines.filter((line) => line.length > longestLine).length;

describe('the sources', () => {
  it(`have no line of more than ${longestLine} characters but data in tests`, () => {
    assert.deepEqual(overTheList(countLong, {}, 'src/'), []);
    const inTests = overTheList(countLong, {}, 'test/');
    const number = inTests.reduce((sum, each) => sum + Number(each.split(': ')[1]), 0);
    assert.ok(number <= longDataLines, `${number} long lines: ${inTests.join(', ')}`);
  });

  it(`have no file of more than ${longestFile} lines but those of the list`, () => {
    const countLines = (lines: string[]): number => (lines.length > longestFile ? lines.length : 0);
    assert.deepEqual(overTheList(countLines, longFiles), []);
  });
});
