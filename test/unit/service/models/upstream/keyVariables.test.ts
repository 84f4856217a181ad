import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyVariables } from '../../../../../src/service/models/upstream/upstreams.ts';

describe('the variables that hold keys of model servers', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (text: string): void => writeFileSync(join(folder, 'models.json'), text);

  it('are those of the configuration, where there is no file', async () => {
    const upstreams = [{ apiKeyVariable: 'OPENAI_KEY' }, { apiKeyVariable: 'other_key2' }, { apiKey: 'x' }];
    assert.deepEqual(await createKeyVariables(folder, upstreams)(), ['OPENAI_KEY', 'other_key2']);
    assert.deepEqual(await createKeyVariables(folder)(), []);
  });

  it('are those of the file beside them, even where it is no JSON, and stay where they are named no more', async () => {
    const variables = createKeyVariables(folder, [{ apiKeyVariable: 'A' }]);
    write('{"upstreams": [{"apiKeyVariable" : "B_1"}, {"apiKeyVariable":"A"}');
    assert.deepEqual(await variables(), ['A', 'B_1']);
    write('{"upstreams": [{"apiKeyVariable":\n  "_c"}]}');
    assert.deepEqual(await variables(), ['A', 'B_1', '_c']);
    rmSync(join(folder, 'models.json'));
    assert.deepEqual(await variables(), ['A', 'B_1', '_c']);
  });

  it('are none of what is no name, and nothing is guessed where the file cannot be read', async () => {
    write('{"apiKeyVariable":"1A"} {"apiKeyVariable":"A-B"} {"key":"C"} {"apiKeyVariable":5}');
    assert.deepEqual(await createKeyVariables(folder)(), []);
    rmSync(join(folder, 'models.json'));
    mkdirSync(join(folder, 'models.json'));
    await assert.rejects(createKeyVariables(folder)(), { code: 'EISDIR' });
  });
});
