import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { ProfileStatus } = await import('../../../../src/connection/host/profileStatus.ts');
const { SignInQuestion } = await import('../../../../src/connection/host/signInQuestion.ts');

const team: Profile = { ...staging, id: 'team', name: 'Team', authKind: 'bearer' };

describe('the profile in the status bar', () => {
  holdTrail(import.meta.url);
  let changed: Emitter<Profile>;
  let registry: { current: Profile; onDidChange: Emitter<Profile>['event'] };
  let status: InstanceType<typeof ProfileStatus>;
  beforeEach(() => {
    editor.reset();
    changed = new Emitter();
    registry = { current: localProfile, onDidChange: changed.event };
    status = new ProfileStatus(registry as never);
  });
  afterEach(() => status.dispose());
  const use = (profile: Profile): void => {
    registry.current = profile;
    changed.fire(profile);
  };
  const shown = () => {
    const { text, tooltip, backgroundColor, command, accessibilityInformation } = editor.statusItem;
    return { text, tooltip, backgroundColor, command, accessibilityInformation };
  };

  it('is shown from the start, by its name, with a way to another', () => {
    assert.deepEqual([editor.statusItem['isShown'], editor.statusItem['name']], [true, 'Millrace Profile']);
    assert.deepEqual(shown(), {
      text: '$(vm) Millrace: Local',
      tooltip: `Millrace profile: Local\n${String(shown().tooltip).split('\n')[1]}\nClick to choose another`,
      backgroundColor: undefined,
      command: 'millrace.profile.choose',
      accessibilityInformation: { label: 'Millrace profile Local', role: 'button' },
    });
    use(team);
    assert.deepEqual(shown(), {
      text: '$(plug) Millrace: Team',
      tooltip: 'Millrace profile: Team\nhttps://staging.example.com\nClick to choose another',
      backgroundColor: undefined,
      command: 'millrace.profile.choose',
      accessibilityInformation: { label: 'Millrace profile Team', role: 'button' },
    });
    status.dispose();
    assert.equal(editor.statusItem['isShown'], false);
    use(localProfile);
    assert.equal(shown().text, '$(plug) Millrace: Team', 'it hears of nothing any more');
  });

  it('says what is special about it in words and in colour', () => {
    use({ ...team, name: '$(x) T', production: true, readOnly: true });
    assert.deepEqual(shown(), {
      text: '$(warning) PRODUCTION: $ (x) T · $(lock) read-only',
      tooltip:
        'Millrace profile: $(x) T\nhttps://staging.example.com\nProduction: every change is confirmed by name\n' +
        'Read-only: changes are refused\nClick to choose another',
      backgroundColor: new standIn.ThemeColor('statusBarItem.errorBackground'),
      command: 'millrace.profile.choose',
      accessibilityInformation: {
        label: 'Millrace profile $(x) T, Production: every change is confirmed by name, Read-only: changes are refused',
        role: 'button',
      },
    });
  });

  it('says that a sign-in is refused, and leads to what mends it, for that profile alone', () => {
    status.setSignIn('team', 'refused');
    assert.equal(shown().command, 'millrace.profile.choose');
    use(team);
    const { text, tooltip, backgroundColor, command } = shown();
    assert.deepEqual(
      [text, String(tooltip).split('\n').at(-1), backgroundColor, command],
      [
        '$(key) Millrace: Team · sign in again',
        'Click to sign in again',
        new standIn.ThemeColor('statusBarItem.warningBackground'),
        { command: 'millrace.profile.signIn', title: 'Sign In', arguments: ['team'] },
      ],
    );
    assert.equal(String(tooltip).split('\n').length, 4);
    use({ ...team, authKind: 'none' });
    const other = shown();
    assert.deepEqual(
      [other.text, String(other.tooltip).split('\n').at(-1), other.command],
      [
        '$(key) Millrace: Team · needs a sign-in',
        'Click to edit the profile',
        { command: 'millrace.profile.edit', title: 'Edit Profile', arguments: ['team'] },
      ],
    );
    use({ ...team, production: true });
    assert.deepEqual(shown().backgroundColor, new standIn.ThemeColor('statusBarItem.errorBackground'));
    status.setSignIn('team', 'fine');
    assert.equal(shown().text, '$(warning) PRODUCTION: Team');
  });
});

describe('the question after a refused sign-in', () => {
  holdTrail(import.meta.url, '-2');
  const refused = new AppError('unauthenticated', 'The token is not taken.', { status: 401 });
  let states: unknown[];
  let warned: string[];
  const question = () =>
    new SignInQuestion({ setSignIn: (...args: unknown[]) => states.push(args) } as never, {
      ...silentLogger,
      warn: (text: string) => void warned.push(text),
    });
  beforeEach(() => {
    editor.reset();
    [states, warned] = [[], []];
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('is asked once until the service answers, or there is another sign-in', async () => {
    const asking = question();
    asking.ask(team, refused);
    asking.ask(team, refused);
    assert.deepEqual([shownTexts().length, warned, states.length], [1, ['The token is not taken.'], 2]);
    assert.match(shownTexts()[0] ?? '', /^warning: .*Team.* \[Sign In Again \| Diagnose Connection\]$/);
    asking.accepted(team);
    assert.deepEqual(states.at(-1), ['team', 'fine']);
    asking.settled('team');
    asking.ask(team, refused);
    assert.equal(shownTexts().length, 2);
    await settle();
    assert.deepEqual(editor.executed, []);
  });

  it('leads to what mends it, or looks what is wrong', async () => {
    for (const [profile, answer, command] of [
      [team, 'Sign In Again', 'millrace.profile.signIn'],
      [{ ...team, authKind: 'none' } as Profile, 'Edit Profile', 'millrace.profile.edit'],
      [team, 'Diagnose Connection', 'millrace.profile.diagnose'],
    ] as const) {
      editor.answer = () => answer;
      question().ask(profile, refused);
      await settle();
      assert.deepEqual(editor.executed.pop(), [command, 'team']);
    }
  });
});
