import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeExport } from '../../../../src/commands/host/editorUi.ts';
import { exportFileNames } from '../../../../src/runs/exportNames.ts';
import { hostileNames } from '../../../support/hostileNames.ts';

describe('writing exports', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = fs.mkdtempSync(join(tmpdir(), 'millrace-export-'));
    folder = join(parent, 'deep', 'folder');
    fs.mkdirSync(folder, { recursive: true });
  });
  afterEach(() => fs.rmSync(parent, { recursive: true, force: true }));

  it('leaves 200 hostile names in their folder and writes over nothing, the second time neither (P21)', async () => {
    const views = Array.from({ length: 200 }, (_, index) => ({
      name: hostileNames[index % hostileNames.length] ?? '',
      type: 'NOTEBOOK',
    }));
    const written: string[] = [];
    for (const round of ['first', 'second']) {
      for (const [index, name] of exportFileNames('7', views).entries())
        written.push(await writeExport(folder, name, `${round} ${index}`));
    }
    assert.equal(new Set(written).size, 400);
    assert.deepEqual([...new Set(written.map((file) => dirname(file)))], [folder]);
    assert.deepEqual(fs.readdirSync(parent), ['deep']);
    assert.deepEqual(fs.readdirSync(join(parent, 'deep')), ['folder']);
    assert.deepEqual(
      written.map((file) => fs.readFileSync(file, 'utf8')),
      ['first', 'second'].flatMap((round) => views.map((_, index) => `${round} ${index}`)),
    );
  });

  it('keeps names that are paths themselves in the folder, and follows no link (P21)', async () => {
    fs.writeFileSync(join(parent, 'outside.html'), 'mine');
    fs.symlinkSync(join(parent, 'outside.html'), join(folder, 'link.html'));
    fs.symlinkSync(join(parent, 'new.html'), join(folder, 'dangling.html'));
    for (const name of [
      '../outside.html',
      '../../outside.html',
      join(parent, 'outside.html'),
      'link.html',
      'dangling.html',
    ]) {
      const file = await writeExport(folder, name, 'theirs');
      assert.equal(dirname(file), folder);
      assert.ok(fs.lstatSync(file).isFile(), name);
    }
    assert.equal(fs.readFileSync(join(parent, 'outside.html'), 'utf8'), 'mine');
    assert.deepEqual(fs.readdirSync(parent).sort(), ['deep', 'outside.html']);
  });

  it('gives a name that is taken the next number, up to 999', async () => {
    const nameOf = (count: number): string => (count === 1 ? 'a.html' : `a (${count}).html`);
    for (let count = 1; count < 999; count += 1) fs.writeFileSync(join(folder, nameOf(count)), '');
    assert.equal(await writeExport(folder, 'a.html', 'x'), join(folder, 'a (999).html'));
    await assert.rejects(writeExport(folder, 'a.html', 'x'), {
      message: `${folder} already holds 1,000 files named like a.html, so nothing was written.`,
      remedy: 'Choose another folder.',
    });
    assert.equal(fs.readdirSync(folder).length, 999);
  });

  it('leaves no file open, also where it could not be written', async function () {
    if (process.platform !== 'linux') this.skip();
    await writeExport(folder, 'a.html', 'x');
    await assert.rejects(writeExport(folder, 'half.html', 5 as never));
    const open = fs.readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
      } catch {
        return false;
      }
    });
    assert.deepEqual(open, []);
  });

  it('says what could not be written, and leaves nothing of it', async () => {
    await assert.rejects(writeExport(join(folder, 'none'), 'a.html', 'x'), /could not be written.*not complete/);
    await assert.rejects(writeExport(folder, 'half.html', 5 as never), /half\.html could not be written.*not complete/);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});
