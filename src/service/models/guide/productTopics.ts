import { sureTopic, type Topic } from './topic.ts';

/** Topics for newcomers' questions in their own words, and the guide's limits. */
export const productTopics: readonly Topic[] = [
  sureTopic(
    [/\bwhat(?:'s| is| are) (?:a |the )?(?:job|run)s?\W*$/i, /\bbetween (?:a )?jobs? and (?:a )?runs?/i],
    'jobs-and-runs',
    'Jobs and runs',
    'job run',
    'A job says what to run, where and when; a job file holds its settings. A run is one execution of it, with a state and an output.',
  ),
  sureTopic(
    [
      /\b(?:every|each) (?:second|other|third|fourth|2nd|3rd|\d+)\s+(?:days?|weeks?|months?|(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?)\b/i,
      /\b(?:bi-?weekly|fortnight(?:ly)?|quarterly|yearly|annually|twice an? \w+|last (?:work(?:ing)? )?day of)\b/i,
    ],
    'uneven-schedule',
    'Schedules in odd weeks',
    'biweekly fortnight quarterly yearly second tuesday last day',
    'A Quartz expression counts days of the month and of the week, and no weeks: "every other Tuesday" cannot be said. Start the job ' +
      'every Tuesday, and let the program end at once in the other weeks. What can be said: `0 0 6 ? * TUE#2` is the second Tuesday of each ' +
      'month, `0 0 6 L * ?` its last day, `0 0 6 LW * ?` its last working day, `0 0 6 1 1/3 ?` the first of each quarter, `0 0 6 1 1 ?` ' +
      '1 January, and `0 0 6,18 * * ?` twice a day.',
    ['schedule.quartz_cron_expression', 'schedule.timezone_id'],
  ),
  sureTopic(
    [
      /\btime[- ]?zones?\b/i,
      /\bdaylight\b/i,
      /\bsummer ?time\b/i,
      /\bwinter ?time\b/i,
      /\bDST\b/i,
      /\bclocks? (?:change|go|are|is)/i,
    ],
    'time-zones',
    'Time zones and the nights when the clocks change',
    'timezone zone utc daylight saving summer winter clocks change tokyo',
    'Each schedule has a time zone of its own, and must name it: `schedule.timezone_id`, such as `Asia/Tokyo`, `Europe/Berlin` or `UTC`. ' +
      'A local time that daylight saving leaves out is skipped that night; one that comes twice fires once, the second time. In `UTC` ' +
      'nothing is skipped.',
    ['schedule.timezone_id', 'schedule.quartz_cron_expression'],
    'schedule',
  ),
  sureTopic(
    [
      /\b(?:api|access|secret) ?keys?\b/i,
      /\bsecrets?\b/i,
      /\bpasswords?\b/i,
      /\bcredentials?\b/i,
      /\b(?:keys?|tokens?)\b.{0,20}\b(?:stored|kept|saved|safe)\b/i,
    ],
    'secrets',
    'Secrets',
    'secret password credential api key hard code plain text',
    "Tokens of profiles and secrets of the local service are in the editor's secret storage, keys of models in environment variables: " +
      'never in a file. Write none into a job file or its parameters, which everybody reads who sees the job. On this machine give the ' +
      'program an environment variable: set it before the editor starts and name it in the setting `millrace.local.environment`. On your ' +
      "company's service let the task read them from its own secrets facility.",
    ['millrace.local.environment'],
  ),
  sureTopic(
    [
      /\bpermissions?\b/i,
      /\baccess[_ ]control\b/i,
      /\bwho (?:can|may|is allowed)\b/i,
      /\bright to\b/i,
      /\bgrant\b/i,
      /\bshare (?:my|a|the) job\b(?! files?)/i,
    ],
    'permissions',
    'Who may see, run or change a job',
    'permission access control share colleague right grant owner',
    'Version 2.0 of the Jobs API has no field for that, and the local service is for its one user. `access_control_list` belongs to ' +
      "version 2.1 and does nothing here. On your company's service its administrator grants the rights.",
  ),
  sureTopic(
    [
      /^(?:please |can you |could you )?(?:delete|remove|rename|pause|resume|unpause|cancel|disable) (?!.{0,40}\b(?:after|when|if|that|endpoint|chat)\b)/i,
      /^(?:please |(?:can|could) you )?(?:stop|abort) (?!.{0,40}\b(?:after|longer|when|if|that|hangs?|e?mails?|answer|streaming|seq\w+|words?|tokens?)\b)/i,
    ],
    'own-changes',
    'Changing, pausing, cancelling and deleting',
    'delete remove rename pause resume cancel stop all runs job schedule',
    'I only read jobs and runs, and start one when you agree: the rest is yours to do. In the view **Jobs** open the menu of the row: ' +
      '**Delete Job**, **Pause Schedule** and **Resume Schedule**, **Cancel All Runs** on a job; **Cancel Run** and **Delete Run** on a ' +
      'run. For everything else, its name included, change the job file and choose ' +
      '**Millrace: Deploy Job File**; **Open as Job File** makes one of a job that has none.',
  ),
  sureTopic(
    [/^(?:please |can you |could you )*(?:run|start|launch|trigger)\b.{0,60}\bwith\b.{0,60}(?:\bparam|\barg|=)/i],
    'start-with-parameters',
    'Starting a run with parameters',
    'run now with parameters start job given values',
    'I start a job only as it is: "Run hello". With other parameters choose **Millrace: Run Now with Parameters…**, or the same in the ' +
      'menu of the job in the view **Jobs**; it asks for those that go with the task.',
  ),
  sureTopic(
    [
      /\b(?:switch|change|between|choose|several|add|edit|connect)\b.{0,60}\b(?:profiles?|workspaces?|staging|prod(?:uction)?|environments?|prox(?:y|ies))\b/i,
      /\bconnect\b(?!.{0,60}\b(?:model|llm|ollama|llama|vllm|openai|studio|smtp)\b).{0,60}\b(?:server|service|company|token|url)\b/i,
      /\bprox(?:y|ies)\b|\bcertificates?\b|\b(?:tls|ssl)\b/i,
      /\b(?:put|enter|paste|renew|change|new|expired) (?:\w+ ){0,2}token\b/i,
      /\b(?:log|sign)(?:ing)? ?(?:in|out|off)\b/i,
      /\bread-?only\b|\bbutton\b.{0,9}\b(?:gr[ae]y|disabled|gone|missing)/i,
      /\b(?:protect|accident)\w*\b.{0,40}\bprod(?:uction)?\b|\bprod(?:uction)?\b.{0,40}\baccident/i,
    ],
    'profiles',
    'Connecting to a workspace, and switching between several',
    'profile connect sign in authenticate authentication login token remote workspace url production staging read-only switch proxy',
    '**Millrace: Add Profile…** asks for the base URL and the token, checks them, and keeps the token in ' +
      "the editor's secret storage; **Millrace: Sign In to Profile…** takes a new one, **Remove Profile…** forgets it. " +
      '**Millrace: Choose Profile…**, or the name in the ' +
      'status bar, switches between them: jobs, runs and endpoints are those of the profile chosen. A profile may be marked as ' +
      "production (changes are confirmed by name) or read-only (changes are refused). A proxy is the editor's own: its setting " +
      '`http.proxy`. An authority of your own must be among the certificates of the system. **Millrace: Diagnose Connection** says what does not work.',
  ),
  sureTopic(
    [
      /\b(?:http|status|code|error|get|got|gives?|an?|answers?|returns?|says?) (?:an? |the )?(?:http |error |status )?(?:code )?(?:4\d\d|50\d)\b(?! \w+s\b)/i,
      /\b(?:40[0-9]|413|429|50[0-4])\b\W{0,2}(?:means?|errors?|when|from|$)/i,
      /\bunauthori[sz]ed\b|\btoken\b.{0,30}\b(?:rejected|refused|invalid|wrong|accepted)\b/i,
      /\bforbidden\b/i,
    ],
    'errors',
    'Errors of the service',
    'error 401 403 404 429 400 500 too many requests invalid http status code retry server unauthorized forbidden',
    'HTTP 400: the request breaks a rule, and the message names the field. 401: the token is missing, wrong or expired; choose ' +
      '**Millrace: Sign In to Profile…**. 403: the token is right and this is not allowed to its user. 404: there is no such job, run or ' +
      'endpoint, or the base URL is not that of this API. 429: the workspace is at its limit of active runs. 500 or above: the server ' +
      'failed; the request may be repeated for 10 minutes, with 30 seconds in between. ' +
      '**Millrace: Diagnose Connection** says what works and what does not.',
  ),
  sureTopic(
    [
      /\b(?:outputs?|results?|values?|data) (?:of|from) (?:one|a|the first|the previous|another) (?:task|job|step)\b/i,
      /\bbetween (?:tasks|jobs)\b/i,
      /\bonly (?:after|if|when) .{0,60}\bsucceed/i,
      /\b(?:next|second|other|previous) (?:task|job|step)\b/i,
      /\bwait for (?:another|the other)\b/i,
      /\bafter (?:job|task)\b|\bjob (?:\w+ ){0,2}(?:start|trigger|run)s? (?:\w+ )?job\b/i,
    ],
    'several-steps',
    'Steps one after the other, and handing results on',
    'pass output of one task to the next dependency order after succeeded steps pipeline',
    'A job of version 2.0 has one task, and waits for no other: `depends_on` and task values belong to version 2.1. Make a job of each ' +
      'step; a job whose `run_job_task` names another by its `job_id` starts that one. What one step leaves for the next goes into a ' +
      'file or a table that both know. What must happen after a failure, too, belongs into the program itself.',
    ['run_job_task.job_id'],
    'run_job_task',
  ),
  sureTopic(
    [
      /\bfile[_ ]?arriv\w*/i,
      /\bfiles? (?:arrives?|appears?|lands?|is uploaded)\b/i,
      /\b(?:trigger|start|run)\w* (?:\w+ ){0,4}(?:when|if|on) (?:an? |new |the )*(?:file|event|push|commit|message)/i,
    ],
    'triggers',
    'What can start a run',
    'file arrival trigger event s3',
    'A run is started by its schedule, by **Run Now** (or `POST /api/2.0/jobs/run-now`, from any program), by a retry, or by another ' +
      "job's `run_job_task`. A file that arrives starts nothing: `trigger` and `continuous` belong to version 2.1. Start the job every few " +
      'minutes and let it look whether there is something new, or call run-now from what writes the file.',
    ['schedule', 'run_job_task'],
  ),
  sureTopic(
    [/^who (?:started|ran|wrote|made|created|changed|deployed|deleted|cancell?ed|owns)\b/i],
    'who',
    'Who did something',
    'author',
    'The page of a job or a run names its `creator_user_name`, and how the run was triggered.',
    ['creator_user_name'],
  ),
  sureTopic(
    [/\b(?:dbt|sql task|for_each|delta live|condition(?:al)? task)\b/i],
    'other-tasks',
    'Kinds of task that are not there',
    'dbt sql for_each condition task',
    'A job has one task of six kinds: `notebook_task`, `spark_jar_task`, `spark_python_task`, `spark_submit_task`, `pipeline_task` or ' +
      '`run_job_task`. What is a program of its own, such as dbt, is started by a Python file: ' +
      '`subprocess.run(["dbt", "build"], check=True)`.',
    ['spark_python_task'],
    'spark_python_task',
  ),
  sureTopic(
    [/\bspark[- _]submit\b/i],
    'spark-submit',
    'spark-submit tasks',
    'spark submit jar class conf driver memory parameters',
    'A `spark_submit_task` has all in its `parameters`: `["--class", "com.example.Main", "dfs:/libs/app.jar", "10"]`. It runs only on a ' +
      'new cluster, without `libraries` and without `spark_conf`: use `--jars`, `--py-files` and `--conf`. Master, deploy mode and ' +
      'executor cores are set automatically and must not be given. Here it needs a spark-submit: that of `SPARK_HOME`, the PATH, ' +
      'pyspark, or the setting `millrace.local.sparkSubmit`.',
    ['spark_submit_task.parameters'],
    'spark_submit_task',
  ),
  sureTopic(
    [
      /\b(?:which|what|other|another|change|choose|set) (?:version of )?python\b/i,
      /\bpython (?:version|interpreter|environment)\b/i,
      /\bvirtual ?env/i,
      /\bvenv\b/i,
      /\bconda\b/i,
    ],
    'python',
    'The Python that tasks run with',
    'python version interpreter venv conda virtual environment',
    'On this machine the first of python3, python and py that works, or the one that the setting `millrace.local.python` names, such as ' +
      "that of a virtual environment. On your company's service it belongs to `new_cluster.spark_version`. The page of a run shows the " +
      'version that it had. Packages are listed under `libraries`.',
    ['millrace.local.python', 'libraries[].pypi.package'],
    'libraries',
  ),
  sureTopic(
    [
      /\b(?:see|find|view|read|show|where|get) (?!.{0,60}\b(?:driver|executor|cluster|service)\b).{0,60}\b(?:logs?|outputs?|stdout|print(?:s|ed)?)\b/i,
    ],
    'output',
    'The output of a run',
    'output of run printed stdout result text log logs where show see',
    'Choose the run in the view **Jobs**: its page shows state, output and error while it runs and after. **Millrace: Open Output as ' +
      'Text** opens it in an editor; "Show me the output of hello" asks me for it. Over the API, ' +
      "`GET /api/2.0/jobs/runs/get-output` with a `run_id` gives a notebook's exit value in `notebook_output`, or in `error` why there " +
      'is none, and the run itself in `metadata`; at most the first 5 MB. On this machine it is `runs/<run_id>/output.log` beside the ' +
      'file that **Show Log of the Local Service** opens.',
    ['metadata', 'notebook_output', 'error'],
  ),
  sureTopic(
    [/\bstream\w*\b/i],
    'streaming',
    'Streamed answers',
    'stream streaming sse server-sent events chunk role finish_reason',
    'With `"stream": true` the answer comes as server-sent events, one chunk each, then `data: [DONE]`. ' +
      'Only the first chunk is sure to carry `role`, only the last carries `finish_reason`; usage may be ' +
      'absent. A stream without a finish_reason was cut off. Embedding endpoints do not stream. With curl: ' +
      '`curl -N -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{"messages": [{"role": "user", "content": ' +
      '"Hi"}], "stream": true}\' $URL/serving-endpoints/guide/invocations`. **Request and response…** below an answer copies the request ' +
      'that it came of, as curl or Python.',
    ['stream'],
  ),
  sureTopic(
    [/\bembedd?ings?\b/i, /\bvectors?\b/i],
    'embedding',
    'Embedding requests',
    'embedding vector input instruction similarity search guide-embedding',
    '`POST /serving-endpoints/{name}/invocations` with `input`, a text or a list of texts: `data` holds one vector for each, in the same ' +
      'order. `instruction` is for models that want one. Embeddings are not streamed and their usage has no `completion_tokens`. Here ' +
      '`guide-embedding` is one to try, with vectors of 256 numbers; choose it below the prompt, and **Request and response…** of its ' +
      'answer copies the request as curl or Python.',
    ['input', 'instruction'],
  ),
  sureTopic(
    [
      /\b(?:which|what|list|create|new|delete|remove|add|choose|several|own) (?:\w+ ){0,3}endpoints?\b/i,
      /\b(?:which|what|list) (?:\w+ ){0,3}models\b/i,
      /\b(?:another|other|change|choose|switch) (?:the |my )?models?\b|\bmodels?\b.{0,40}\b(?:by default|new chat)\b|\bguide-completion\b/i,
    ],
    'endpoints',
    'Endpoints',
    'endpoint list which create delete choose guide upstream',
    'The button below the prompt names the endpoint of this conversation and lists all of the profile, each with its task; a new chat keeps it. The ' +
      'local service has `guide` (answers), `guide-completion` (continues a prompt) and `guide-embedding` (vectors), and the ' +
      'models of Ollama, llama.cpp, vLLM and LM Studio on ' +
      'this machine. **Millrace: Create Serving Endpoint…** and **Delete Serving Endpoint…** make and remove one. Over the API, ' +
      '`POST /api/2.0/serving-endpoints` creates a provisioned one; pay-per-token endpoints exist in advance.',
    ['config'],
  ),
  sureTopic(
    [
      /\b(?:turn|switch|stop|disable|mute|silence|hide|no|too many|get rid of)\b.{0,60}\b(?:notifications?|pop-?ups?|toasts?)\b/i,
    ],
    'editor-notifications',
    'Notifications of the editor about runs',
    'notification turn off mute popup toast run finished',
    'The setting `millrace.notifications.runFinished` says of which runs the editor tells the end: `started` in this window, `all`, ' +
      '`failed` or `none`. E-mails are those of `email_notifications` in the job file, and `notification_settings` says when none is sent.',
    ['millrace.notifications.runFinished', 'notification_settings.no_alert_for_skipped_runs'],
  ),
  sureTopic(
    [/\bsdks?\b|\brequest\b.{0,20}\b(?:sent|json|curl)\b/i, /\bclient librar(?:y|ies)\b/i],
    'sdk',
    'Calling the APIs from a program',
    'sdk client library python api program',
    'There is no library to install: both APIs are HTTP with JSON and a bearer token. **Copy as curl** in the menu of a job or run gives ' +
      'a request to begin with, and **Request and response…** below an answer one in curl or in Python without packages.',
  ),
  sureTopic(
    [/\bschedule\w*\b.{0,40}\b(?:not|never|nothing|doesn't|didn't|isn't|won't)\b/i],
    'silent-schedule',
    'A schedule that starts nothing',
    'schedule not firing never runs nothing starts',
    'A schedule starts a run only where the job is deployed, `schedule.pause_status` is `UNPAUSED`, and the service runs at that time: the ' +
      'local one, once the editor has started it, stays for that. The time is that of `schedule.timezone_id`. While as many runs are active as ' +
      '`max_concurrent_runs` allows, a run is there and SKIPPED. The row of the job in the view **Jobs** tells the next run.',
    ['schedule.pause_status', 'schedule.timezone_id', 'max_concurrent_runs'],
  ),
  sureTopic(
    [
      /(?<!\bidempotency[ _])\btokens?\b.{0,30}\b(?:limit|most|max\w*|context|window)\b/i,
      /\b(?:limit|max\w*|many|context)\b.{0,30}\btokens\b/i,
      /\banswers?\b.{0,20}\b(?:(?:short|long)(?:er)?|cut|limit)\b/i,
      /\b(?:short|long)(?:er)? answers?\b/i,
    ],
    'token-limits',
    'How many tokens go in and come out',
    'token limit context window length max_tokens',
    '`max_tokens` limits an answer; the button with the sliders below the prompt sets it, and **Continue** below an answer goes on. ' +
      'How much a model reads is its own: the guide ' +
      'takes 32,768 tokens, and a model elsewhere says so where a conversation is too long.',
    ['max_tokens'],
  ),
  sureTopic(
    [/\boffline\b/i, /\binternet\b/i, /\bwithout (?:an )?(?:account|network|connection)\b/i],
    'offline',
    'Without network or account',
    'offline internet account network local',
    'The profile **Local** needs neither: its service runs on this machine, and so do the guide, job files, runs, debugger and pages. ' +
      'The network is needed for libraries that are still to be installed, for models elsewhere, and for the profiles of other services.',
  ),
  sureTopic(
    [
      /\b(?:how much (?:is|does|do|will|for)|price|costs?|bill(?:ing)?)\b.{0,60}\b(?:run|job|cost|it|this)\b/i,
      /\b(?:chat|guide|millrace)\b.{0,9}\b(?:costs?|free|paid)\b/i,
    ],
    'cost',
    'What a run costs',
    'cost price billing money expensive',
    "Runs on this machine and the guide cost nothing. What a run costs on your company's service no part of this API tells; ask its administrator. " +
      '`new_cluster.cloud_attributes.availability` chooses cheaper machines, and `timeout_seconds` bounds a run that hangs.',
    ['new_cluster.cloud_attributes.availability', 'timeout_seconds'],
  ),
];
