import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { backgroundTasks } from '../../../../src/service/startup/backgroundTasks.ts';
import { preload } from '../../../../src/service/startup/preload.ts';

const folder = resolve(import.meta.dirname, '../../../../src/service');
const lazyImport = /\bimport\('([^']+)'\)/g;

describe('what the service loads later', () => {
  it('is loaded soon after its start, so that new files of the program do not break it', async () => {
    const loadedAtStart = [join('startup', 'service.ts'), join('base', 'travelClock.ts')];
    // What threads do, which the next test holds.
    const declared = /\bname: '(\w+)',\s+crew: '\w+',\s+load: async \(\) => \(await import\('[^']+'\)\)/g;
    const tasks: string[] = [];
    const wanted = new Set<string>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      // What the editor loads is another program's.
      if (
        !entry.isFile() ||
        !entry.name.endsWith('.ts') ||
        entry.name === 'preload.ts' ||
        relative(folder, file).startsWith('host')
      )
        continue;
      const text = readFileSync(file, 'utf8').replace(declared, (_all, name: string) => {
        tasks.push(name);
        return '';
      });
      for (const [, target = ''] of text.matchAll(lazyImport)) {
        if (target.startsWith('node:')) continue;
        wanted.add(target.startsWith('.') ? relative(folder, resolve(entry.parentPath, target)) : target);
      }
    }
    const loaded = [...readFileSync(join(folder, 'startup', 'preload.ts'), 'utf8').matchAll(lazyImport)].map(
      ([, target = '']) => (target.startsWith('.') ? relative(folder, resolve(folder, 'startup', target)) : target),
    );
    assert.deepEqual(
      tasks.toSorted(),
      backgroundTasks.map(({ name }) => name).toSorted(),
      'each task is in the table of the threads, once',
    );
    assert.ok(wanted.size > 4);
    assert.deepEqual(
      [...wanted].filter((each) => !loaded.includes(each) && !loadedAtStart.includes(each)),
      [],
    );
  });

  it('includes what threads do', async () => {
    const loaded: string[] = [];
    const loads = backgroundTasks.map((task) => ({ name: task.name, task, load: task.load }));
    try {
      for (const { name, task } of loads) {
        Object.assign(task, {
          load: async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            loaded.push(name);
          },
        });
      }
      await preload();
    } finally {
      for (const { task, load } of loads) Object.assign(task, { load });
    }
    assert.deepEqual(loaded.toSorted(), loads.map(({ name }) => name).toSorted());
  });
});
