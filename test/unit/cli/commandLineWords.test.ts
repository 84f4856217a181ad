import assert from 'node:assert/strict';
import { useCommandLineWords } from '../../../src/cli/runCommand.ts';
import { fill, l10n } from '../../../src/shared/l10n.ts';

describe('texts of the editor on the command line', () => {
  before(() => useCommandLineWords());
  after(() => l10n.use(fill));

  for (const [inEditor, here, ...values] of [
    ["The profile's base URL {0}. Nothing was sent.", 'The address in --url is none. Nothing was sent.', 'is none'],
    ['Check the base URL of the profile.', 'Check the address in --url.'],
    ['if the base URL is right, the server is at fault', 'if the address in --url is right, the server is at fault'],
    [
      'Check that the server is running and that host and port of the base URL are right.',
      'Check that the server runs and that host and port are right.',
    ],
    [
      "If {0} is the right server, enter it as the profile's base URL.",
      'If host.example is the right server, name it with --url.',
      'host.example',
    ],
    ['The profile has no {0}. Nothing was sent.', 'MILLRACE_TOKEN holds no token. Nothing was sent.', 'token'],
    ['Enter the {0} of the profile.', 'Enter the token in MILLRACE_TOKEN.', 'token'],
    ['The {0} of the profile holds a line break', 'The token in MILLRACE_TOKEN holds a line break', 'token'],
    ['Check the token of the profile: it may be mistyped', 'Check the token in MILLRACE_TOKEN: it may be mistyped'],
    [
      'Ask for the permission, or use a profile whose user has it.',
      'Ask for the permission, or use the token of a user who has it.',
    ],
    [
      "the server does not allow this for the profile's user",
      'the server does not allow this to the user of this token',
    ],
    ['Run {0} of {1}', 'Run 5 of {1}', 5],
    ['Nothing to change', 'Nothing to change'],
  ] as const)
    it(`say "${here}"`, () => assert.equal(l10n.t(inEditor, ...values), here));

  it('leave what stands in their places as it is', () =>
    assert.equal(l10n.t('The job {0}', 'the base URL of the profile'), 'The job the base URL of the profile'));
});
