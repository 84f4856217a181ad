import { sureTopic, type Topic } from './topic.ts';

/** What is done in the editor: deploying, beginning anew, looking closer, and what leaves this machine. */
export const editorTopics: readonly Topic[] = [
  sureTopic(
    [/\b(?:reset|clear|wipe|delete) (?:everything|all)\b/i, /\bstart over\b|\bfrom scratch\b/i],
    'start-over',
    'Beginning anew',
    'reset',
    '**Millrace: Reset Local Service…** asks first, then removes all jobs and runs. It cannot be undone; files and chats stay.',
  ),
  sureTopic(
    [
      /\b(?:undo|revert|roll(?:ing)? ?back|restore)\b.{0,60}\b(?:deploy\w*|jobs?)\b/i,
      /\bchanged\b.{0,40}\bfile\b.{0,40}\b(?:server|deployed)\b/i,
      /\b(?:two|other) people\b.{0,40}\bdeploy/i,
      /\bdeploy\w*\b.{0,9}\b(?:or|and|vs)\b.{0,9}\brun\b/i,
    ],
    'deploy',
    'Deploying a job file',
    'undo deploy',
    'Deploy writes the job file to the service and starts nothing; **Run Now** starts one run, too. It shows first what it changes, and what ' +
      'somebody else changed, as **Compare Job File with the Deployed Job** does; **Pull Job into File** takes that into the file. Nothing ' +
      'undoes a deploy: bring the earlier file back, from version control, and deploy it.',
  ),
  sureTopic(
    [
      /\bprivate|privacy\b/i,
      /\bmodel\b.{0,20}\b(?:read|see|access)\b.{0,20}\b(?:files?|code|jobs|runs)\b/i,
      /\b(?:stop|prevent|keep)\b.{0,20}\bmodel\b/i,
    ],
    'privacy',
    'What leaves this computer',
    'privacy',
    '**Local** and the guide are on this machine. Another endpoint gets what you ask it and attach, and reads jobs, runs and files only ' +
      'with the button with the tools on. What changes anything is done only if you choose **Do It**.',
  ),
  sureTopic(
    [/\bdebug\w*\b/i, /\bbreakpoints?\b/i],
    'debug',
    'Debugging a job',
    'debug',
    '**Debug** above a job file, F5 in it, or **Millrace: Debug Job** runs the job on this machine and stops at the breakpoints of its Python ' +
      'file or notebook. **Debug This Failure** on a run halts where it failed.',
  ),
  sureTopic(
    [/\b(?:clos\w+|quit|exit|shut ?down) (?:\w+ ){0,2}(?:editor|vs ?code|window|laptop|machine)\b/i],
    'closed-editor',
    'Without the editor',
    'close',
    'A run goes on: the local service stays while a run is active, a retry waits or a schedule is on. It ends with this machine, and the ' +
      'editor starts it again. What another service runs needs neither.',
  ),
  sureTopic(
    [/\b(?:many|several|multiple|different|\d+) (?:\w+ )?(?:dates|inputs)\b/i, /\bbackfill/i],
    'many-inputs',
    'One program for many dates',
    'backfill',
    'Start a run for each: **Millrace: Run Now with Parameters…**, or a loop in a terminal around `millrace run jobs/etl.job.yml --param day=5`, ' +
      'which waits for its run. More at once need a higher limit, or they are SKIPPED.',
    ['max_concurrent_runs'],
  ),
];
