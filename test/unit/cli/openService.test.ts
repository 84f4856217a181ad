import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { memoryOf, localMemoryOf } from '../../../src/cli/deployMemory.ts';
import { openService, type ServiceChoice } from '../../../src/cli/openService.ts';
import { isAppError } from '../../../src/shared/errors.ts';
import { answerJson, startHttpServer } from '../../support/httpServer.ts';
import { ownPlace } from './ownPlace.ts';

describe('the service that a command speaks to', () => {
  const place = ownPlace();
  const { MILLRACE_DATA, MILLRACE_ROOT } = process.env;
  beforeEach(() => {
    delete process.env['MILLRACE_DATA'];
    delete process.env['MILLRACE_ROOT'];
  });
  after(() => Object.assign(process.env, MILLRACE_DATA && { MILLRACE_DATA }, MILLRACE_ROOT && { MILLRACE_ROOT }));

  const open = (choice: ServiceChoice, token?: string, rootOf = (): string => place.folder) =>
    openService(choice, { parameters: [], token, signal: new AbortController().signal }, rootOf);
  const usage = async (choice: ServiceChoice, rootOf?: () => string): Promise<string> => {
    try {
      await open(choice, undefined, rootOf);
    } catch (error) {
      assert.ok(isUsageError(error) && isAppError(error), String(error));
      return error.message;
    }
    return assert.fail('it was opened');
  };

  it('is the one of the address, with the token, and goes on by itself', async () => {
    const opened = await open({ url: `${place.server.url}/` }, 'sesame');
    const { name, isOwn, isTransient, follows, memory } = opened;
    assert.deepEqual([name, isOwn, isTransient, follows], [place.server.url, false, false, 'wait']);
    assert.equal(memory.folder, memoryOf(place.server.url));
    await opened.client.jobs.list();
    assert.equal(place.server.requests[0]?.headers.authorization, 'Bearer sesame');
    await opened.close();
    const open2 = await open({ url: place.server.url });
    await open2.client.jobs.list();
    assert.equal(place.server.requests[1]?.headers.authorization, undefined);
  });

  it('is none where what is named is wrong', async () => {
    for (const choice of [{ root: '.' }, { data: 'd' }])
      assert.match(await usage({ url: place.server.url, ...choice }), /--root and --data are of the local service/);
    await assert.rejects(open({ url: 'no address' }), (error) => isUsageError(error) && isAppError(error));
    assert.match(await usage({ root: 'nowhere' }), new RegExp(`there is no folder .*nowhere`));
    writeFileSync(join(place.folder, 'file'), '');
    assert.match(await usage({ root: 'file' }), /there is no folder/);
    assert.match(await usage({ data: 'file' }), /the data folder .*file could not be made/);
    process.env['MILLRACE_ROOT'] = 'elsewhere';
    assert.match(await usage({}), /there is no folder .*elsewhere/);
    process.env['MILLRACE_ROOT'] = '';
    assert.match(await usage({}, () => 'of-the-file'), /there is no folder .*of-the-file/);
    process.env['MILLRACE_DATA'] = 'file';
    assert.match(await usage({ root: '.' }), /the data folder .*file could not be made/);
  });

  for (const isTransient of [false, true])
    it(`is the one that runs on the data folder, ${isTransient ? 'for another command' : 'for a window'}, left as it is`, async () => {
      const server = await startHttpServer((_request, response) => answerJson(response, '{"jobs":"1","runs":"1"}'));
      try {
        const data = join(place.folder, 'data');
        mkdirSync(data);
        const content = { url: server.url, token: 'sesame', pid: process.pid, isTransient };
        writeFileSync(join(data, 'service.json'), JSON.stringify(content));
        const opened = await open({ data: 'data' });
        assert.deepEqual(
          [opened.name, opened.isOwn, opened.isTransient, opened.follows, opened.memory.folder],
          ['the local service', false, isTransient, 'fail', localMemoryOf(data)],
        );
        assert.equal(server.requests[0]?.headers.authorization, 'Bearer sesame');
        await opened.close();
        assert.equal(server.requests.length, 1);
      } finally {
        await server.close();
      }
    });
});
