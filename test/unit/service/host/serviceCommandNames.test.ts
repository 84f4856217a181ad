import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { serviceCommandNames } from '../../../../src/service/host/serviceCommandNames.ts';
import { root } from '../../../support/paths.ts';

describe('the commands of the local service', () => {
  it('are those that the manifest declares, and the one of the status bar', () => {
    const { contributes } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      contributes: { commands: { command: string }[] };
    };
    const declared = contributes.commands.flatMap(
      ({ command }) => /^millrace\.service\.(\w+)$/.exec(command)?.[1] ?? [],
    );
    assert.deepEqual([...serviceCommandNames].toSorted(), [...declared, 'show'].toSorted());
  });
});
