import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { reply, startServer, workspace, type TestServer } from '../testServer.ts';

const { runProfileWizard } = await import('../../../../src/connection/host/profileWizard.ts');

type Box = (typeof editor.boxes)[number];
const token = 'dapi-right';

/** The questions for a profile, answered as a user would. */
describe('the questions for a profile', () => {
  let server: TestServer;
  let saved: Profile[];
  let secrets: Map<string, string>;
  let services: ProfileServices;

  beforeEach(async () => {
    editor.reset();
    server = await startServer(workspace(token));
    saved = [];
    secrets = new Map();
    services = {
      log: silentLogger,
      registry: {
        profiles: [localProfile, { ...localProfile, id: 'taken', name: 'Taken', kind: 'remote' }],
        save: async (profile: Profile) => void saved.push(profile),
      },
      vault: {
        get: async ({ id }: Profile) => secrets.get(id),
        store: async ({ id }: Profile, secret: string) => void secrets.set(id, secret),
        remove: async ({ id }: Profile) => void secrets.delete(id),
        forget: async () => undefined,
      },
    } as unknown as ProfileServices;
  });
  afterEach(() => server.close());

  /** The question that is open, once it is another one than before. */
  async function question(prompt: RegExp): Promise<Box> {
    const shown = (): Box | undefined => editor.boxes.findLast(({ isShown, isDisposed }) => isShown && !isDisposed);
    await eventually(
      () => prompt.test(String(shown()?.['prompt'] ?? shown()?.['placeholder'])),
      `${prompt} instead of "${String(shown()?.['prompt'] ?? shown()?.['placeholder'])}"`,
    );
    return shown() as Box;
  }
  async function type(prompt: RegExp, value?: string): Promise<Box> {
    const box = await question(prompt);
    await eventually(() => box['busy'] === false);
    if (value !== undefined) {
      box['value'] = value;
      box.events.value.fire(undefined as never);
    }
    box.events.accept.fire(undefined as never);
    return box;
  }
  async function choose(placeholder: RegExp, ...values: string[]): Promise<Box> {
    const box = await question(placeholder);
    const items = box['items'] as { value: string }[];
    box['selectedItems'] = items.filter(({ value }) => values.includes(value));
    box.events.accept.fire(undefined as never);
    return box;
  }
  async function problemOf(box: Box): Promise<string> {
    await eventually(() => box['validationMessage'] !== undefined, 'what is wrong');
    return (box['validationMessage'] as { message: string }).message;
  }
  const authorizations = (): (string | undefined)[] => server.requests.map(({ headers }) => headers.authorization);

  it('lead to a profile that is saved once all of it was checked, its secret apart from it', async () => {
    const done = runProfileWizard(services);
    const address = await type(/^Address of the service/, 'not an address');
    assert.match(await problemOf(address), /\S/);
    await type(/^Address of the service/, `${server.url}/`);
    const kind = await question(/^How to sign in/);
    assert.ok(server.requests.length > 0, 'the address is looked at');
    assert.ok(authorizations().every((each) => each === undefined));
    assert.deepEqual([kind['step'], (kind['buttons'] as unknown[]).length], [2, 1]);
    await choose(/^How to sign in/, 'bearer');
    const secret = await type(/^Access token for 127\.0\.0\.1/, ' ');
    assert.equal(secret['password'], true);
    assert.match(await problemOf(secret), /^Enter it/);
    await type(/^Access token/, 'dapi-wrong');
    assert.match(await problemOf(secret), /does not accept this sign-in \(401\)/);
    assert.deepEqual([saved, secrets.size], [[], 0]);
    await type(/^Access token/, ` ${token} `);
    const name = await type(/^The service answers/, 'taken');
    assert.match(await problemOf(name), /^Another profile has this name/);
    await type(/^The service answers/, ' Team production ');
    const marks = await question(/^Check what applies/);
    assert.deepEqual(
      (marks['selectedItems'] as { value: string }[]).map(({ value }) => value),
      ['production'],
      'what is named so is taken for one',
    );
    await choose(/^Check what applies/, 'readOnly');
    const profile = await done;
    assert.deepEqual(saved, [profile]);
    const { id, ...rest } = profile as Profile;
    assert.deepEqual(rest, {
      name: 'Team production',
      kind: 'remote',
      baseUrl: server.url,
      authKind: 'bearer',
      production: false,
      readOnly: true,
      endpoints: [],
    });
    assert.deepEqual([...secrets], [[id, token]]);
  });

  it('can be gone back through, with what was answered, and be left without a trace', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'basic');
    const user = await type(/^User name/, 'me:you');
    assert.match(await problemOf(user), /without a colon/);
    await type(/^User name/, 'me');
    const password = await question(/^Password of me for 127\.0\.0\.1/);
    password.events.button.fire(undefined as never);
    const again = await question(/^User name/);
    assert.deepEqual([again['value'], again['step'], again['totalSteps']], ['me', 3, 7]);
    again.events.button.fire(undefined as never);
    await choose(/^How to sign in/, 'bearer');
    const secret = await question(/^Access token/);
    assert.equal(secret['step'], 3, 'what is not asked is not counted');
    secret.events.hide.fire(undefined as never);
    assert.equal(await done, undefined);
    assert.deepEqual([saved, secrets.size], [[], 0]);
  });

  it('ask the address again where a service without sign-in turns out to be another kind of server', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'none');
    const address = await question(/^Address of the service/);
    assert.match(await problemOf(address), /401|sign-in/);
    assert.equal(address['value'], server.url);
    address.events.hide.fire(undefined as never);
    assert.equal(await done, undefined);
  });

  it('take a warned answer when it is given again, and no sooner', async () => {
    const busy = await startServer((_, response) =>
      reply(response, 500, { error_code: 'INTERNAL_ERROR', message: 'no' }),
    );
    const done = runProfileWizard(services);
    const address = await type(/^Address of the service/, busy.url);
    assert.match(await problemOf(address), /Press Enter again to use it all the same\.$/);
    assert.equal((address['validationMessage'] as { severity: number }).severity, 2);
    await type(/^Address of the service/);
    await question(/^How to sign in/).then((kind) => kind.events.button.fire(undefined as never));
    const wrong = await type(/^Address of the service/, 'ftp://somewhere');
    await problemOf(wrong);
    assert.equal((wrong['validationMessage'] as { severity: number }).severity, 3);
    await type(/^Address of the service/);
    assert.equal(wrong.isDisposed, false, 'what is wrong is not taken by asking twice');
    wrong.events.hide.fire(undefined as never);
    assert.equal(await done, undefined);
    await busy.close();
  });

  it('ask for the endpoints where the service does not list any, until they can be read', async () => {
    const plain = workspace(token);
    await server.close();
    server = await startServer((request, response, body) =>
      request.url?.startsWith('/api/2.0/serving-endpoints')
        ? reply(response, 404, { error_code: 'ENDPOINT_NOT_FOUND', message: 'No such path.' })
        : plain(request, response, body),
    );
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, token);
    await type(/^The service answers/, 'Own');
    await choose(/^Check what applies/);
    const box = await type(/^Endpoints to chat with/, 'chat, vectors:painting');
    assert.match(await problemOf(box), /painting/);
    assert.deepEqual(saved, []);
    await type(/^Endpoints to chat with/, 'chat, vectors:embedding');
    assert.deepEqual((await done)?.endpoints, [
      { name: 'chat', task: 'chat' },
      { name: 'vectors', task: 'embedding' },
    ]);
  });

  it('are about an existing profile: nothing is forgotten, and its secret goes nowhere else', async () => {
    const existing: Profile = {
      id: 'team',
      name: 'Team',
      kind: 'remote',
      baseUrl: server.url,
      authKind: 'bearer',
      production: true,
      readOnly: false,
      endpoints: [],
    };
    secrets.set('team', token);
    const done = runProfileWizard(services, existing);
    const address = await question(/^Address of the service/);
    assert.deepEqual([address['title'], address['value']], ['Edit Profile "Team"', server.url]);
    await type(/^Address of the service/);
    await choose(/^How to sign in/, 'bearer');
    const secret = await question(/^Access token/);
    assert.equal(secret['value'], token);
    secret.events.button.fire(undefined as never);
    (await question(/^How to sign in/)).events.button.fire(undefined as never);
    await type(/^Address of the service/, server.url.replace('127.0.0.1', 'localhost'));
    await choose(/^How to sign in/, 'bearer');
    assert.equal((await question(/^Access token for localhost/))['value'], '');
    await type(/^Access token/, token);
    for (const step of [/^The service answers/, /^Access token/])
      (await question(step)).events.button.fire(undefined as never);
    // A token is no password: what was typed for the one is not handed to the other.
    await choose(/^How to sign in/, 'basic');
    await type(/^User name/, 'me');
    assert.equal((await question(/^Password of me/))['value'], '');
    for (const step of [/^Password of me/, /^User name/]) (await question(step)).events.button.fire(undefined as never);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, token);
    await type(/^The service answers/);
    assert.deepEqual(
      ((await question(/^Check what applies/))['selectedItems'] as { value: string }[]).map(({ value }) => value),
      ['production'],
    );
    await choose(/^Check what applies/, 'production');
    const profile = await done;
    assert.deepEqual([profile?.id, profile?.name, profile?.production], ['team', 'Team', true]);
  });
});
