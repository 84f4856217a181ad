import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { SignInQuestion } = await import('../../../../src/connection/host/signInQuestion.ts');

const team: Profile = {
  ...localProfile,
  id: 'team',
  name: 'Team [x](y)',
  kind: 'remote',
  baseUrl: 'https://x.example',
};
const refusal = new AppError('unauthenticated', 'Who are you?', { status: 401 });

describe('the question for a new sign-in', () => {
  holdTrail(import.meta.url);
  let shown: unknown[];
  let logged: string[];
  let question: InstanceType<typeof SignInQuestion>;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    editor.reset();
    [shown, logged] = [[], []];
    question = new SignInQuestion({ setSignIn: (...given: unknown[]) => shown.push(given) } as never, {
      ...silentLogger,
      warn: (text: string) => void logged.push(text),
    });
  });

  it('is asked once, however many calls fail, and shown for as long as the sign-in is refused', async () => {
    question.ask(team, refusal);
    question.ask(team, refusal);
    assert.deepEqual(logged, ['Who are you?']);
    assert.equal(shownTexts().length, 1);
    assert.match(shownTexts()[0] ?? '', /^warning: .*"Team \[x\] \(y\)".* \[Sign In Again \| Diagnose Connection\]$/);
    question.ask(team, new AppError('unauthenticated', 'None.'));
    question.accepted(team);
    question.ask(team, refusal);
    assert.deepEqual(
      shown,
      ['refused', 'refused', 'missing', 'fine', 'refused'].map((state) => ['team', state]),
    );
    assert.equal(shownTexts().length, 1);
    question.settled('team');
    assert.deepEqual(shown.at(-1), ['team', 'fine']);
    question.ask(team, refusal);
    assert.equal(shownTexts().length, 2, 'the new one is refused too');
    await settle();
    assert.deepEqual(editor.executed, [], 'nothing was pressed');
  });

  it('leads to what mends it, of the profile that it is about', async () => {
    for (const [profile, press, command] of [
      [team, 'Sign In Again', 'millrace.profile.signIn'],
      [{ ...team, authKind: 'none' }, 'Edit Profile', 'millrace.profile.edit'],
      [{ ...team, name: 'Other' }, 'Diagnose Connection', 'millrace.profile.diagnose'],
    ] as const) {
      editor.answer = ({ actions }) => actions.find((action) => action === press);
      question.ask(profile, refusal);
      await settle();
      assert.deepEqual(editor.executed.at(-1), [command, 'team']);
    }
  });
});
