import { sureTopic, type Topic } from './topic.ts';

/** Topics about the editor: deployment, resets, debugging and privacy. */
export const editorTopics: readonly Topic[] = [
  sureTopic(
    [
      /\b(?:reset|clear|wipe|delete) (?:everything|all(?: of (?:it|them))?(?: jobs and runs)?\W*$)/i,
      /\breset\b.{0,20}\bservice\b/i,
      /\bstart over\b|\bfrom scratch\b/i,
    ],
    'start-over',
    'Beginning anew',
    'reset',
    '**Millrace: Reset Local Service…** asks first, then removes all jobs and runs. It cannot be undone; files and chats stay.',
  ),
  sureTopic(
    [
      /\b(?:undo|revert|roll(?:ing)? ?back|restore)\b(?!.{0,40}\bdelet).{0,60}\b(?:deploy\w*|jobs?)\b/i,
      /\b(?:changed|differ\w*)\b.{0,40}\bfile\b.{0,40}\b(?:server|deployed|job)\b/i,
      /\bjob\b.{0,40}\b(?:in)?to an? (?:\w+ )?file\b|\b(?:go(?:ing)? back|version before|(?:earlier|previous|old) version)\b/i,
      /\b(?:two|other) people\b.{0,40}\bdeploy/i,
      /\boverwr\w+\b|\bcolleagues?\b.{0,40}\bchang|\bdeploy would\b/i,
      /\bdeploy\w*\b.{0,9}\b(?:or|and|vs)\b.{0,9}\brun\b/i,
      /\b(?:move|copy|promote|transfer)\b.{0,30}\b(?:jobs?|prod(?:uction)?|staging)\b/i,
      /\bjob files?\b.{0,60}\b(?:git|version control|team|colleagues?)\b/i,
    ],
    'deploy',
    'Deploying a job file',
    'undo deploy',
    'Deploy writes the job file to the service of the chosen profile and starts nothing; **Run Now** starts one run, too. It shows first what it ' +
      'changes, and what ' +
      'somebody else changed, as **Compare Job File with the Deployed Job** does; **Pull Job into File** takes that into the file. Nothing ' +
      'undoes a deploy: bring the earlier file back, from version control, and deploy it.',
  ),
  sureTopic(
    [
      /\bprivacy\b|\btelemetry\b|\busage data\b|\btrack(?:s|ing)?\b.{0,10}\b(?:me|users?|usage)\b/i,
      /\b(?:is|are|stays?|remain|kept?)\b.{0,20}\bprivate\b/i,
      /\bwhat (?:is|gets|are) sent\b|\bsend\w*\b.{0,20}\bmy (?:data|code|files?)\b|\bmy (?:data|code|files?)\b.{0,9}\b(?:sent|leaves?|go|shared)\b/i,
      /\bmodel\b.{0,20}\b(?:read|see|access)\b.{0,20}\b(?:files?|code|jobs|runs|workspace)\b/i,
      /\b(?:stop|prevent|keep)\b.{0,20}\bmodel\b.{0,9}\b(?:from|away|out|off)\b/i,
      /\b(?:chat|model|you)\b.{0,15}\bdo with\b.{0,10}\bfiles?\b/i,
    ],
    'privacy',
    'What leaves this computer',
    'privacy',
    'Millrace has no telemetry. **Local** and the guide are on this machine. Another endpoint gets what you ask it and attach, and reads jobs, runs ' +
      'and files only with the button with the tools on. What changes anything is done only if you choose **Allow**.',
  ),
  sureTopic(
    [
      /\bstops?\b.{0,15}\banswer(?!\w)(?!s? with)/i,
      /\b(?:old|older|earlier|previous|past|former) (?:chats?|conversations?)\b|\bchat history\b/i,
      /\bchat\b.{0,30}\b(?:window|tab|side ?bar|full ?screen|bigger|larger|wider)\b/i,
      /\bpresets?\b|\bchat\b.{0,9}\bparameters\b/i,
    ],
    'chat-view',
    'The view of the chat',
    'chat view window tab preset',
    'Escape, or the square in place of the arrow, ends what is being written. **Show Chats** lists all chats and looks through their words. **Open Chat ' +
      'in an Editor Tab** and **Move Chat to Another Side Bar…** give it room. The sliders below the prompt have the parameters, with ' +
      'presets of the sampling.',
  ),
  sureTopic(
    [/\b(?:where|find|get|copy|see|know|which)\b.{0,40}\b(?:run|job)(?:'s)? id\b/i],
    'ids',
    'Ids of jobs and runs',
    'run id job id where find copy',
    'The page of a job or run has its id, with a button that copies it, and so have **Copy Job Id** and **Copy Run Id** in the menus of ' +
      'the view **Jobs**.',
  ),
  sureTopic(
    [/\b(?:terminals?|cli|ci|github actions?|gitlab|jenkins)\b/i, /\bcommand[- ]line\b(?! (?:arg|param))/i],
    'command-line',
    'In terminals and CI',
    'terminal ci validate',
    "`millrace` is on the PATH of the editor's terminals: `check` validates job files (`--format github` or `sarif` for CI), `deploy` with " +
      '`--plan`, `run`, `runs`, `logs`, `pull` and `schema`; `millrace --help` tells the rest. Elsewhere it is `node dist/millrace.js` in the ' +
      "extension's folder.",
  ),
  sureTopic(
    [
      /\bkeyboard\b/i,
      /\bshort-?cuts?\b/i,
      /\b(?:key ?bindings?|hot ?keys?)\b/i,
      /\b(?:newline|line break|shift.enter|enter (?:key|insert\w*|sends?)|(?:previous|last) (?:prompt|message|question))\b/i,
    ],
    'keys',
    'Keys',
    'keyboard shortcut',
    'Enter sends, Shift+Enter breaks the line, and the arrow up brings back what was asked last. ' +
      'Ctrl+Alt+J, then T (chat), N (new chat), H (chats), Y (copy the last answer); in the view **Jobs** R (run now), A (run again), C ' +
      "(cancel), F (filter); in a job file R and D (deploy). The editor's **Keyboard Shortcuts**, searched for Millrace, changes them.",
  ),
  sureTopic(
    [/\battach\w*\b/i, /\bask\b.{0,30}\babout (?:a|my|the) (?:\w+ )?(?:run|file|job)\b/i],
    'attach',
    'What goes with a question',
    'attach',
    'Type `#` in the chat, press the clip, or drag a file or a run to it with Shift held; the menus of files and of runs attach, too. A model ' +
      'gets it with the next message, with its size shown before: text alone, and of a file at most 400 KB.',
  ),
  sureTopic(
    [
      /\b(?:chat|model|guide|you)\b.{0,15}\b(?:edit|change|modify|write (?:to|into))\b.{0,20}\b(?:files?|code)\b/i,
      /\b(?:apply|insert)\b.{0,30}\b(?:code|answers?|file)\b/i,
    ],
    'edits',
    'Changes to your files',
    'edit',
    'By itself nothing is edited. Code in an answer has **Apply with diff**, which shows the change in the comparison of the editor first, ' +
      '**Insert at the cursor** and **New file**; **Fix…** on a run that failed shows its change, too. I know job files; for your code choose a ' +
      'language model.',
  ),
  sureTopic(
    [/\b(?:re-?(?:run|start)|run again|start again|repeat)\b.{0,30}\b(?:runs?|it|job|same)\b/i],
    'run-again',
    'Running something again',
    'rerun',
    '**Run Again** on a run, in the view **Jobs** or on its page, starts it with the same parameters; **Run Again with Changes…** asks for others. ' +
      'A job starts itself again after a failure with `max_retries`.',
    ['max_retries'],
  ),
  sureTopic(
    [/(?<!\bwho can )\b(?:fix(?!ed)|repair|mend)\w*\b/i],
    'fix',
    'Mending a run that failed',
    'fix',
    '**Fix…** on a failed run, or on a job file with errors: the cause, a change in the comparison of the editor, and **Apply and Run ' +
      'Again**. Nothing is written that was not shown.',
  ),
  sureTopic(
    [
      /\bfilter\w*\b|\b(?:find|search) (?:for )?(?:a|the|my) jobs?\b/i,
      /\bsort(?:s|ed|ing)?\b(?! of)/i,
      /\b(?:favou?rites?|stars?|pinn?(?:s|ed|ing)?)\b/i,
      /\ball runs by time\b/i,
    ],
    'arrange',
    'Finding and ordering jobs',
    'filter sort',
    'In the view **Jobs** **Filter Jobs…** chooses by last result, trigger, kind of task and time, **Filter Jobs by Text…** by name, **Sort ' +
      'Jobs…** orders by name, last or next run or puts active jobs first, and **Show All Runs by Time** lists runs instead. A favourite (the ' +
      'star) stays on top.',
  ),
  sureTopic(
    [
      /\b(?:jobs?|runs?|rows?)\b.{0,40}\b(?:question mark|gr[ae]y|icons?|colou?rs?|symbols?)\b/i,
      /\b(?:question mark|gr[ae]y|icons?|colou?rs?|symbols?)\b.{0,40}\b(?:jobs?|runs?|rows?)\b/i,
    ],
    'icons',
    'Icons of jobs and runs',
    'icon',
    'A job whose last run went well has the icon of its task in green; otherwise it has the icon of that run. An empty grey circle: its last ' +
      'run is not known yet. A question mark on a run: the service gave a state that is none of the API, or one that contradicts itself; ' +
      'its words stand beside it.',
  ),
  sureTopic(
    [
      /\b(?:real|remote|own|standalone|existing|local) spark\b/i,
      /\bspark\b.{0,30}\b(?:local(?:ly)?|here|master|my (?:machine|laptop|computer))\b/i,
      /\bsupports?\b.{0,20}\bspark\b/i,
    ],
    'spark',
    'Spark on this machine',
    'spark',
    'Runs that use Spark need Java and pyspark, or a Spark that `SPARK_HOME` names. Spark itself runs on this machine (`local[*]`), or on the ' +
      'cluster that the setting `millrace.local.sparkMaster` names, such as `spark://host:7077`.',
    ['millrace.local.sparkMaster', 'millrace.local.sparkSubmit'],
  ),
  sureTopic(
    [
      /\bmodules?\b.{0,30}\b(?:next to|beside|own|other file|same folder)\b/i,
      /\bimport\b.{0,30}\b(?:file|folder|own|my|next to|local)\b/i,
    ],
    'imports',
    'Importing files of your own',
    'import',
    'On this machine a notebook finds modules in its own folder and in the root of the workspace, a Python file those beside it. ' +
      'Elsewhere build a wheel and name it in `libraries`.',
    ['libraries[].whl'],
  ),
  sureTopic(
    [/\b(?:what|is|has|have|use|support\w*|without) (?:\w+ )?dbutils\b(?!\.)/i],
    'dbutils',
    'dbutils',
    'dbutils',
    'Notebooks have it by itself: `dbutils.widgets` for parameters, `dbutils.notebook.exit` and `run`, and `dbutils.fs`. On this machine ' +
      '`dbutils.secrets` reads nothing.',
    ['notebook_task.base_parameters'],
  ),
  sureTopic(
    [/\b(?:R|SQL|Scala) (?:notebooks?|cells?|code)\b/i, /\blanguages? (?:of|in|for) (?:a )?notebooks?\b/i],
    'languages',
    'Languages of notebooks',
    'language',
    'Here: Python, Markdown, `%sh`, SQL (through Spark) and R, which needs Rscript on the PATH. Scala runs only on a workspace.',
    ['notebook_task.notebook_path'],
  ),
  sureTopic(
    [/\bnext (?:run|start)\b/i],
    'next-run',
    'When a job runs next',
    'next',
    'The row of the job in the view **Jobs** and its page tell it, and so does hovering over `schedule` in a job file. Ask me: "When does etl run ' +
      'next?"',
    ['schedule.quartz_cron_expression'],
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
