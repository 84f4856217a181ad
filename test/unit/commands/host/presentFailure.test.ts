import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { createFailurePresenter } = await import('../../../../src/commands/host/presentFailure.ts');

describe('what a failed command shows', () => {
  holdTrail(import.meta.url);
  let logged: string[];
  let logShown: number;
  const present = (error: unknown): void =>
    createFailurePresenter({ ...silentLogger, error: (text) => logged.push(text), show: () => (logShown += 1) })(
      error,
      'millrace.x',
    );
  beforeEach(() => {
    editor.reset();
    [logged, logShown] = [[], 0];
  });

  it('is nothing where the user has stopped it', () => {
    present(new AppError('aborted', 'Stopped.'));
    present(new DOMException('Stopped.', 'AbortError'));
    assert.deepEqual([shownTexts(), logged], [[], []]);
  });

  it('is the message with its remedy and the way to the log', async () => {
    editor.answer = ({ actions }) => actions.at(-1);
    present(new AppError('rejected', 'It was refused.', { remedy: 'Mend it.' }));
    await nextTurn();
    assert.deepEqual(shownTexts(), ['error: It was refused. Mend it. [Show Log]']);
    assert.deepEqual(logged, ['millrace.x: It was refused.']);
    assert.equal(logShown, 1);
  });

  it('has the stack in the log where the mistake is ours', () => {
    present(new TypeError('x is not y'));
    assert.match(logged[0] ?? '', /^millrace.x: [^]*\n\s+at /);
  });

  for (const [command, title, kinds] of [
    ['millrace.profile.diagnose', 'Diagnose Connection', ['network', 'tls', 'timeout', 'unauthenticated']],
    ['workbench.trust.manage', 'Manage Workspace Trust', ['untrusted']],
  ] as const) {
    for (const kind of kinds) {
      it(`offers "${title}" after a failure of the kind ${kind}`, async () => {
        present(new AppError(kind, 'It failed.'));
        await nextTurn();
        assert.deepEqual(
          [shownTexts(), logShown, editor.executed],
          [[`error: It failed. [${title} | Show Log]`], 0, []],
        );
        editor.answer = ({ actions }) => actions[0];
        present(new AppError(kind, 'It failed.'));
        await nextTurn();
        assert.deepEqual([logShown, editor.executed], [0, [[command]]]);
      });
    }
  }
});
