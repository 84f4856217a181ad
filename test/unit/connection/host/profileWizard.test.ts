import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTrail } from '../../../support/trail.ts';
import { reply, startServer, workspace, type TestServer } from '../testServer.ts';
import { back, checked, choose, leave, problemOf, question, type } from './wizardQuestions.ts';

const { runProfileWizard } = await import('../../../../src/connection/host/profileWizard.ts');

const token = 'dapi-right';

/** The questions for a profile, answered as a user would. */
describe('the questions for a profile', () => {
  holdTrail(import.meta.url);
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
    const id = String(profile?.id);
    assert.deepEqual(profile, team({ id, name: 'Team production', readOnly: true }));
    assert.deepEqual([...secrets], [[id, token]]);
  });

  it('can be gone back through, with what was answered, and be left without a trace', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'basic');
    const user = await type(/^User name/, ' ');
    assert.match(await problemOf(user), /without a colon/);
    await type(/^User name/, 'me:you');
    assert.match(await problemOf(user), /without a colon/);
    await type(/^User name/, 'me');
    const password = await question(/^Password of me for 127\.0\.0\.1/);
    password.events.button.fire(undefined as never);
    const again = await question(/^User name/);
    assert.deepEqual([again['value'], again['step'], again['totalSteps']], ['me', 3, 7]);
    again.events.button.fire(undefined as never);
    const kinds = (await question(/^How to sign in/))['activeItems'] as { value: string }[];
    assert.equal(kinds[0]?.value, 'basic');
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
    const existing = team({ production: true });
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

  const team = (values: Partial<Profile> = {}): Profile => ({
    id: 'team',
    name: 'Team',
    kind: 'remote',
    baseUrl: server.url,
    authKind: 'bearer',
    production: false,
    readOnly: false,
    endpoints: [],
    ...values,
  });

  it('take the token from a command, in a trusted workspace alone, and store no secret', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'command');
    const command = `echo "${token}"`;
    standIn.workspace.isTrusted = false;
    const box = await type(/^Program with its arguments/, '"unclosed');
    assert.match(await problemOf(box), /quotation mark/);
    await type(/^Program with its arguments/, command);
    assert.match(await problemOf(box), /not run while the workspace is not trusted/);
    assert.ok(authorizations().every((each) => each === undefined));
    standIn.workspace.isTrusted = true;
    await type(/^Program with its arguments/, ` ${command} `);
    const name = await question(/^The service answers/);
    assert.deepEqual([name['step'], name['totalSteps']], [4, 5], 'no secret is asked for');
    await type(/^The service answers/, 'By command');
    await choose(/^Check what applies/);
    const profile = await done;
    assert.deepEqual([profile?.authKind, profile?.command, secrets.size], ['command', command, 0]);
    assert.equal(authorizations().at(-1), `Bearer ${token}`);
  });

  it('ask for the name of a header and for its value', async () => {
    const known = workspace(token);
    await server.close();
    server = await startServer((request, response, body) => {
      if (request.headers['x-key'] === token) request.headers.authorization = `Bearer ${token}`;
      known(request, response, body);
    });
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'header');
    const box = await type(/^Name of the header/, 'X Key');
    assert.match(await problemOf(box), /letters, digits and hyphens/);
    await type(/^Name of the header/, ' X-Key ');
    assert.match(
      String((await question(/^Value of/))['prompt']),
      new RegExp(`^Value of the header X-Key for 127\\.0\\.0\\.1:${server.port}\\.`),
    );
    await type(/^Value of/, ` ${token} `);
    await type(/^The service answers/, 'By header');
    await choose(/^Check what applies/);
    const profile = await done;
    assert.deepEqual([profile?.authKind, profile?.headerName], ['header', 'X-Key']);
    assert.deepEqual([...secrets.values()], [token]);
  });

  it('keep the blanks of a password, and none of the user name', async () => {
    const known = workspace(token);
    const expected = `Basic ${Buffer.from('me: two words ').toString('base64')}`;
    await server.close();
    server = await startServer((request, response, body) => {
      if (request.headers.authorization === expected) request.headers.authorization = `Bearer ${token}`;
      known(request, response, body);
    });
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'basic');
    await type(/^User name/, ' me ');
    await type(/^Password of me/, ' two words ');
    await type(/^The service answers/, 'By password');
    await choose(/^Check what applies/);
    assert.equal((await done)?.userName, 'me');
    assert.deepEqual([...secrets.values()], [' two words ']);
  });

  it('show a problem of the address there, once, however late it is found', async () => {
    const known = workspace(token);
    await server.close();
    server = await startServer((request, response, body) =>
      request.headers.authorization === 'Bearer page'
        ? reply(response, 200, '<html>Sign in</html>')
        : known(request, response, body),
    );
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, 'page');
    const address = await question(/^Address of the service/);
    assert.match(await problemOf(address), /another kind of server/);
    await type(/^Address of the service/);
    await back(/^How to sign in/);
    assert.equal((await question(/^Address of the service/))['validationMessage'], undefined);
    await leave(/^Address of the service/);
    assert.equal(await done, undefined);
  });

  it('warn of an address without TLS, and refuse one where another kind of server is', async () => {
    const stranger = await startServer((_, response) => reply(response, 200, '<html>Welcome</html>'));
    const done = runProfileWizard(services);
    const box = await type(/^Address of the service/, stranger.url);
    assert.match(await problemOf(box), /another kind of server/);
    assert.equal((box['validationMessage'] as { severity: number }).severity, 3);
    await type(/^Address of the service/, `http://0.0.0.0:${server.port}`);
    assert.match(await problemOf(box), /^http sends the sign-in readable.*Press Enter again/);
    assert.equal((box['validationMessage'] as { severity: number }).severity, 2);
    await leave(/^Address of the service/);
    assert.equal(await done, undefined);
    await stranger.close();
  });

  it('stop the check of a secret when the user leaves', async () => {
    const known = workspace(token);
    const closed = Promise.withResolvers<void>();
    await server.close();
    server = await startServer((request, response, body) => {
      if (request.headers.authorization === undefined) return known(request, response, body);
      response.on('close', () => closed.resolve());
    });
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, token);
    await eventually(() => authorizations().includes(`Bearer ${token}`));
    await leave(/^Access token/);
    await closed.promise;
    assert.equal(await done, undefined);
  });

  it('suggest a name by the host, and take a name for production that is joined to others', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, token);
    assert.equal((await question(/^The service answers/))['value'], `127.0.0.1:${server.port}`);
    await back(/^The service answers/);
    await back(/^Access token/);
    await back(/^How to sign in/);
    await type(/^Address of the service/, server.url.replace('127.0.0.1', 'localhost'));
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/, token);
    assert.equal((await question(/^The service answers/))['value'], 'localhost');
    await type(/^The service answers/, 'team_prod-eu');
    assert.deepEqual(checked(await question(/^Check what applies/)), ['production']);
    await back(/^Check what applies/);
    assert.equal((await question(/^The service answers/))['value'], 'team_prod-eu');
    await leave(/^The service answers/);
    assert.equal(await done, undefined);
  });

  it('keep the own name, marks and endpoints of a profile, and tell what the service lacks', async () => {
    const known = workspace(token);
    await server.close();
    server = await startServer((request, response, body) =>
      request.url?.startsWith('/api/2.0/jobs/')
        ? reply(response, 404, { error_code: 'ENDPOINT_NOT_FOUND', message: 'No such path.' })
        : known(request, response, body),
    );
    const endpoints = [{ name: 'guide', task: 'chat' as const }];
    const existing = team({ name: 'Team prod', readOnly: true, endpoints });
    Object.assign(services.registry, { profiles: [existing, team({ id: 'other', name: 'Other' })] });
    secrets.set('team', token);
    const warned: string[] = [];
    Object.assign(services, { log: { ...silentLogger, warn: (text: string) => warned.push(text) } });
    Object.assign(services.vault, { forget: () => Promise.reject(new Error('locked')) });
    const done = runProfileWizard(services, existing);
    await type(/^Address of the service/);
    await choose(/^How to sign in/, 'bearer');
    await type(/^Access token/);
    const name = await type(/^The service answers/, 'OTHER');
    assert.match(String(name['prompt']), /This service has no Jobs API\./);
    assert.match(await problemOf(name), /^Another profile has this name/);
    await type(/^The service answers/, 'team PROD');
    await back(/^Check what applies/);
    await type(/^The service answers/, '[team](PROD)');
    assert.deepEqual(checked(await question(/^Check what applies/)), ['readOnly'], 'as it was set');
    await choose(/^Check what applies/, 'readOnly');
    assert.equal((await question(/^Endpoints to chat with/))['value'], 'guide');
    await type(/^Endpoints to chat with/);
    const profile = await done;
    assert.deepEqual([profile?.name, profile?.readOnly, profile?.endpoints], ['[team](PROD)', true, endpoints]);
    assert.match(warned.join(''), /\[team\]\(PROD\).*could not be removed.*: locked\./);
    assert.match(shownTexts().join(''), /^warning: .*\[team\] \(PROD\)/);
  });

  it('store no secret for a service that asks for none', async () => {
    await server.close();
    server = await startServer((request, response, body) => {
      request.headers.authorization = `Bearer ${token}`;
      workspace(token)(request, response, body);
    });
    const done = runProfileWizard(services, team({ authKind: 'none' }));
    await type(/^Address of the service/);
    await choose(/^How to sign in/, 'none');
    const name = await question(/^The service answers/);
    assert.deepEqual([name['step'], name['totalSteps']], [3, 4]);
    await type(/^The service answers/);
    await choose(/^Check what applies/);
    assert.equal((await done)?.authKind, 'none');
    assert.equal(secrets.size, 0);
  });
});
