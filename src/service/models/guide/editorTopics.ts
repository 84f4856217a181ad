import { sureTopic, type Topic } from './topic.ts';

/** What is done in the editor: undoing, beginning anew, looking closer, and what leaves this machine. */
export const editorTopics: readonly Topic[] = [
  sureTopic(
    [
      /\b(?:reset|wipe|erase|clear|clean|delete|remove) (?:up )?(?:it all|everything|all(?: of)? (?:the |my |our )?(?:data|jobs|runs|state)|the local service)\b/i,
      /\bstart(?:ing)? (?:over|afresh|fresh|all over|from (?:scratch|zero))\b/i,
    ],
    'start-over',
    'Beginning anew',
    'reset wipe erase everything scratch',
    '**Millrace: Reset Local Service…** asks first, then removes the jobs of this workspace with their runs and output. It cannot be ' +
      'undone; files of the workspace and chats stay. Elsewhere **Delete Job** in the view **Jobs** removes one job with its runs.',
  ),
  sureTopic(
    [
      /\b(?:undo|revert|roll(?:ing)? ?back|take back|go back to|restore)\b.{0,60}\b(?:deploy\w*|jobs?|versions?|settings)\b/i,
      /\b(?:deploy\w*|job)\b.{0,40}\b(?:undone|reverted|rolled back|rollback)\b/i,
    ],
    'undo-deploy',
    'Undoing a deploy',
    'undo revert rollback restore previous version deploy',
    'Nothing undoes a deploy: a service keeps only the newest settings of a job. Bring back the earlier job file, from version control or ' +
      "the editor's view **Timeline**, and choose **Millrace: Deploy Job File** again; it shows what that changes before it is done.",
  ),
  sureTopic(
    [
      /\b(?:chang\w+|differ\w*|compare)\b.{0,40}\b(?:my|the|a|job|local) (?:file|yaml)\b.{0,40}\b(?:server|service|deployed|remote|workspace)\b/i,
      /\b(?:somebody|someone|anybody|two|several|other) (?:else|people|users|colleagues|persons)\b.{0,60}\b(?:deploy\w*|chang\w+|edit\w*)\b/i,
    ],
    'compare-deployed',
    'The file and the deployed job',
    'compare difference changed somebody else conflict pull',
    '**Millrace: Compare Job File with the Deployed Job** shows both side by side, and Deploy shows what it would change, and what ' +
      'somebody else changed meanwhile. **Millrace: Pull Job into File** takes that into the file.',
    ['millrace.deploy.preview'],
  ),
  sureTopic(
    [
      /\b(?:differ\w*|between|versus|vs)\b.{0,40}\bdeploy\w*\b.{0,40}\brun\b/i,
      /\bdeploy\w*\b.{0,20}\b(?:or|vs|versus)\b.{0,10}\brun\b/i,
    ],
    'deploy-or-run',
    'Deploy and Run Now',
    'difference deploy run now',
    'Deploy writes the job file to the service and starts nothing; from then on its schedule does. **Run Now** deploys what is new in the ' +
      'file, and starts one run at once.',
  ),
  sureTopic(
    [/\b(?:clos|quit|exit|shut|reload|restart)\w*\b.{0,40}\b(?:vs ?code|editor|window|laptop|computer|machine)\b/i],
    'closing',
    'When the editor is closed',
    'close quit window laptop reload',
    'A run of the local service goes on when the window is closed, and ends with the machine. Other services do not notice. Chats, drafts ' +
      'and what waits to be sent are there again.',
  ),
  sureTopic(
    [
      /\b(?:private|privacy|confidential)\b/i,
      /\b(?:send|sends|share|upload|leak)\b.{0,20}\b(?:my|our)\b.{0,20}\b(?:code|files?|data)\b/i,
      /\bmodel\b.{0,20}\b(?:read|see|access|look at)\b.{0,20}\b(?:files?|code|workspace|jobs|runs)\b/i,
      /\b(?:stop|prevent|keep|forbid)\b.{0,20}\bmodel\b/i,
    ],
    'what-models-see',
    'What leaves this machine, and what waits for a word',
    'privacy private confidential upload code',
    'The service of **Local** and the guide are on this machine. Another endpoint gets what you ask it and attach (`#`), and nothing ' +
      'else, unless the button with the tools below the prompt is on: then the model may read jobs, runs and files of the workspace. ' +
      'What changes anything, such as a run, is done only if you choose **Do It**.',
    ['millrace.chat.offerTools'],
  ),
  sureTopic(
    [/\b(?:keyboard|short ?cuts?|key ?bindings?|hot ?keys?)\b/i],
    'keys',
    'Keys',
    'keyboard shortcut keybinding',
    'Ctrl+Alt+J, then N: new chat, T: to the chat, H: its history, Y: copy the last answer, R: Run Now, D: Deploy, F: find jobs. Ctrl+F ' +
      "finds in the chat. All of them are in the editor's **Preferences: Open Keyboard Shortcuts**, under Millrace.",
  ),
  sureTopic(
    [/\b(?:debugg?(?:ing|er)?|break ?points?|step through)\b/i],
    'debugging',
    'Debugging a job',
    'debug breakpoint step',
    'Set a breakpoint in its Python file and choose **Millrace: Debug Job**; **Debug This Failure** on a failed run stops where it failed. ' +
      'Both run on this machine.',
  ),
  sureTopic(
    [
      /\bback ?fill/i,
      /\b(?:same|a|the|my) (?:script|job|file|program|notebook)\b.{0,20}\b(?:for|with|over) (?:\d+|several|many|all|each|every|other|different) (?:\w+ )?(?:dates|days|months|values|inputs|files|parameters)\b/i,
    ],
    'many-runs',
    'One job for many values',
    'backfill dates values each loop',
    'Start one run for each: **Millrace: Run Now with Parameters…**, or `POST /api/2.0/jobs/run-now` from a program. ' +
      '`max_concurrent_runs` says how many go on at a time; a run above it is skipped.',
    ['max_concurrent_runs'],
  ),
];
