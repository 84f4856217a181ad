import { lookUp } from '../../../../../src/service/models/guide/lookUp.ts';
import { askedOf } from '../../../../../src/service/models/guide/ownJobsQuestion.ts';
import { assertApproved } from '../../../../support/approved.ts';

/** The same words as different people write them. */
const ways: Record<string, (text: string) => string> = {
  plain: (text) => text,
  capital: (text) => text.charAt(0).toUpperCase() + text.slice(1),
  loud: (text) => text.toUpperCase(),
  asked: (text) => `${text}?`,
  sighed: (text) => `  ${text} ...  `,
  please: (text) => `please ${text}`,
  'could you': (text) => `could you please ${text}`,
  'at once': (text) => `${text} now`,
  again: (text) => `${text} again`,
  once: (text) => `${text} once`,
  'for me': (text) => `${text} for me please`,
  today: (text) => `${text} today`,
  and: (text) => `and ${text}`,
};

const ofOwnJobs = [
  ...[
    'run hello',
    'start the job etl-nightly',
    'launch "my job"',
    'trigger daily report job',
    'execute it',
    'run every job',
  ],
  ...[
    'why did hello fail',
    'why has the last run of etl failed',
    'why is etl not working',
    'what went wrong',
    'explain the last failure',
  ],
  ...[
    'how long did etl take',
    'what did etl print',
    'show me the output of hello',
    'show the parameters of the last run',
  ],
  ...[
    'which runs failed',
    'show my failed runs',
    'list the last 5 runs',
    'are any jobs running',
    'did etl succeed',
    'status of hello',
  ],
  ...[
    'list my jobs',
    'what jobs do i have',
    'which jobs have a schedule',
    'when does etl run next',
    'show the job file of etl',
  ],
];
const ofTheDocumentation = [
  ...[
    'deploy job file',
    'why deploy job file',
    'choose profile',
    'why did my run time out',
    'what is max_retries',
    'export a run',
  ],
  ...[
    'how do i cancel a run',
    'top_p',
    'topk',
    'stop sequences',
    'run every monday at 9',
    'what does skipped mean',
    'open output as text',
  ],
  ...['set a secret', 'pause the schedule', 'how long are runs kept', 'difference between num_workers and autoscale'],
];

describe('a question that is said otherwise', () => {
  it('is about the same jobs and runs, as approved', () => {
    const lines = ofOwnJobs.flatMap((text) => [
      `> ${text}`,
      ...Object.entries(ways).map(([way, said]) => `  ${way}: ${JSON.stringify(askedOf(said(text))) ?? 'none'}`),
    ]);
    assertApproved('guide-said-of-jobs', `${lines.join('\n')}\n`);
  });

  it('is answered from the same documentation, as approved', () => {
    const lines = ofTheDocumentation.flatMap((text) => [
      `> ${text}`,
      ...Object.entries(ways).map(([way, said]) => {
        const { summary, isUnsure, confidence } = lookUp({
          text: said(text),
          before: '',
          first: false,
          toolResults: [],
        });
        return `  ${way}: ${summary.slice(0, 80)} ${confidence.toFixed(2)}${isUnsure ? ' unsure' : ''}`;
      }),
    ]);
    assertApproved('guide-said-of-fields', `${lines.join('\n')}\n`);
  });
});
