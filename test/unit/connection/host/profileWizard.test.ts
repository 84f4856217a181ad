import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { StepProblem } from '../../../../src/connection/host/inputStep.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { reply, startServer, type TestServer, workspace } from '../testServer.ts';
import { choose, leave, problemOf, question, type } from './wizardQuestions.ts';

const { runProfileWizard } = await import('../../../../src/connection/host/profileWizard.ts');

const { inputStep } = await import('../../../../src/connection/host/inputStep.ts');

const token = 'dapi-right';

/** The questions for a profile, answered as a user would. */
describe('the profile wizard', () => {
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

  it('saves a checked profile, with its secret elsewhere', async () => {
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
    assert.match(await problemOf(secret), /rejected this sign-in \(401\)/);
    assert.deepEqual([saved, secrets.size], [[], 0]);
    await type(/^Access token/, ` ${token} `);
    const name = await type(/^The service answers/, 'taken');
    assert.match(await problemOf(name), /^Another profile has this name/);
    await type(/^The service answers/, ' Team production ');
    const marks = await question(/^Select what applies/);
    assert.deepEqual(
      (marks['selectedItems'] as { value: string }[]).map(({ value }) => value),
      ['production'],
      'what is named so is taken for one',
    );
    await choose(/^Select what applies/, 'readOnly');
    const profile = await done;
    assert.deepEqual(saved, [profile]);
    const id = String(profile?.id);
    assert.deepEqual(profile, team({ id, name: 'Team production', readOnly: true }));
    assert.deepEqual([...secrets], [[id, token]]);
  });

  it('can go back, and leaves no trace when it is cancelled', async () => {
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
    assert.deepEqual([again['value'], again['step'], again['totalSteps']], ['me', 3, 6]);
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

  it('asks for the address again when another kind of server answers', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'none');
    const address = await question(/^Address of the service/);
    assert.match(await problemOf(address), /401|sign-in/);
    assert.equal(address['value'], server.url);
    address.events.hide.fire(undefined as never);
    assert.equal(await done, undefined);
  });

  it('accepts a warned answer when it is repeated', async () => {
    const busy = await startServer((_, response) =>
      reply(response, 500, { error_code: 'INTERNAL_ERROR', message: 'no' }),
    );
    const done = runProfileWizard(services);
    const address = await type(/^Address of the service/, busy.url);
    assert.match(await problemOf(address), /Press Enter again to use it anyway\.$/);
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

  it('edits a profile and sends its secret nowhere else', async () => {
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
      ((await question(/^Select what applies/))['selectedItems'] as { value: string }[]).map(({ value }) => value),
      ['production'],
    );
    await choose(/^Select what applies/, 'production');
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

  it('takes the token from a command only in a trusted workspace', async () => {
    const done = runProfileWizard(services);
    await type(/^Address of the service/, server.url);
    await choose(/^How to sign in/, 'command');
    const command = `echo "${token}"`;
    standIn.workspace.isTrusted = false;
    const box = await type(/^Program with arguments/, '"unclosed');
    assert.match(await problemOf(box), /quotation mark/);
    await type(/^Program with arguments/, command);
    assert.match(await problemOf(box), /not run while the workspace is not trusted/);
    assert.ok(authorizations().every((each) => each === undefined));
    standIn.workspace.isTrusted = true;
    await type(/^Program with arguments/, ` ${command} `);
    const name = await question(/^The service answers/);
    assert.deepEqual([name['step'], name['totalSteps']], [4, 5], 'no secret is asked for');
    await type(/^The service answers/, 'By command');
    await choose(/^Select what applies/);
    const profile = await done;
    assert.deepEqual([profile?.authKind, profile?.command, secrets.size], ['command', command, 0]);
    assert.equal(authorizations().at(-1), `Bearer ${token}`);
  });

  it('warns about an address without TLS', async () => {
    const stranger = await startServer((_, response) => reply(response, 200, '<html>Welcome</html>'));
    const done = runProfileWizard(services);
    const box = await type(/^Address of the service/, stranger.url);
    assert.match(await problemOf(box), /another kind of server/);
    assert.equal((box['validationMessage'] as { severity: number }).severity, 3);
    await type(/^Address of the service/, `http://0.0.0.0:${server.port}`);
    assert.match(await problemOf(box), /^http sends the sign-in in plain text.*Press Enter again/);
    assert.equal((box['validationMessage'] as { severity: number }).severity, 2);
    await leave(/^Address of the service/);
    assert.equal(await done, undefined);
    await stranger.close();
  });
});

type Box = (typeof editor.boxes)[number];

describe('a question of the wizard', () => {
  const common = { title: 'T', totalSteps: 3, prompt: 'P' };
  const box = (): Box => editor.boxes.at(-1) as Box;
  const press = async (value: string): Promise<void> => {
    box()['value'] = value;
    box().events.accept.fire(undefined as never);
    await nextTurn();
  };
  const shown = (): unknown => {
    const message = box()['validationMessage'] as { message: string; severity: number } | undefined;
    return message && [message.message, message.severity];
  };
  beforeEach(() => editor.reset());

  it('validates one answer at a time', async () => {
    const checks: { value: string; signal: AbortSignal; done(problem?: StepProblem): void }[] = [];
    const answer = inputStep({
      ...common,
      step: 1,
      check: (value, signal) => new Promise((done) => void checks.push({ value, signal, done })),
    });
    await press('one');
    await press('two');
    assert.deepEqual([checks.map(({ value }) => value), box()['busy']], [['one'], true]);
    checks[0]?.done();
    await nextTurn();
    assert.deepEqual([box().isDisposed, box()['busy']], [false, false], 'it was typed on');
    await press('two');
    checks[1]?.done({ message: 'Odd.', soft: true });
    await nextTurn();
    assert.deepEqual(shown(), ['Odd. Press Enter again to use it anyway.', 2]);
    await press('three');
    checks[2]?.done({ message: 'Wrong.' });
    await nextTurn();
    assert.deepEqual(shown(), ['Wrong.', 3]);
    await press('two');
    assert.equal(checks.length, 4, 'what was warned of is not taken after something else');
    box().events.hide.fire(undefined as never);
    assert.deepEqual([await answer, checks[3]?.signal.aborted], [{ kind: 'leave' }, true]);
    checks[3]?.done({ message: 'Late.' });
    await nextTurn();
    assert.notDeepEqual(shown(), ['Late.', 3]);
  });
});
