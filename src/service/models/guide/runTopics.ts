import { sureTopic, type Topic, topic } from './topic.ts';

/** Topics about runs, their parameters and their results. */
export const runTopics: readonly Topic[] = [
  topic(
    'run-parameters',
    'Parameters for one run',
    'run now parameters override kinds large size bytes limit jar_params notebook_params python_params spark_submit_params',
    'A run-now request takes one kind of parameters, the one that goes with the task: `notebook_params` ' +
      '(a map) for notebooks, `jar_params`, `python_params` or `spark_submit_params` (lists) for the ' +
      'others. The JSON form of each has at most 10,000 bytes.',
    ['notebook_params', 'python_params', 'jar_params', 'spark_submit_params'],
  ),
  sureTopic(
    [
      /\brun[_ ]id\b.{0,40}\b(?:in|inside|script|program|notebook|code)\b/i,
      /\b(?:know|read|access)\b.{0,20}\brun[_ ]id\b/i,
      /\b(?:today'?s|todays|current|start|execution|run) date\b|\bdate\b.{0,9}\bto (?:my|the|a) (?:script|program|notebook|job)\b/i,
    ],
    'dynamic-values',
    'Values known only when the run starts',
    'dynamic value reference run_id job_id start date template variable curly braces',
    'Parameters may refer to the run with dynamic value references in double braces, such as ' +
      '`{{run_id}}`, `{{job_id}}` or `{{start_date}}` (such as `2026-11-24`); they are replaced when the run starts.',
    ['spark_python_task.parameters', 'spark_jar_task.parameters'],
    'spark_python_task.parameters',
  ),
  sureTopic(
    [/\b(?:size|big|large|max\w*|limit)\b.{0,30}\b(?:outputs?|results?)\b/i],
    'exit-value',
    "A notebook's result",
    'notebook exit value return result output get-output dbutils',
    'Call `dbutils.notebook.exit("value")`. The value comes back in `notebook_output.result` of ' +
      'runs/get-output, its first 1 MB only. A notebook that never calls it has an empty output. ' +
      'runs/get-output returns at most the first 5 MB, and a cell whose output exceeds 8 MB fails the run.',
    ['notebook_output.result', 'notebook_output.truncated', 'notebook_task'],
    'notebook_task',
  ),
  sureTopic(
    [
      /\b(?:INTERNAL_ERROR|TERMINAT(?:ED|ING)|TIMED ?OUT)\b.{0,20}\bmean/,
      /\bmeans?\b.{0,20}\b(?:INTERNAL_ERROR|TERMINAT(?:ED|ING)|PENDING)\b/,
    ],
    'states',
    'The states of a run',
    'state status lifecycle life_cycle_state result_state pending running terminating terminated skipped internal_error queued what happens',
    'A run goes PENDING, RUNNING, TERMINATING, TERMINATED. It is SKIPPED when its job has as many active ' +
      'runs as it may, and INTERNAL_ERROR when the service itself failed. PENDING, RUNNING and TERMINATING ' +
      'are active; TERMINATED, SKIPPED and INTERNAL_ERROR are final. The result (SUCCESS, FAILED, TIMEDOUT ' +
      'or CANCELED) is there once the run is TERMINATED and never changes.',
    ['state.life_cycle_state', 'state.result_state', 'state.state_message'],
  ),
  topic(
    'skipped',
    'Why a run was skipped',
    'skipped why run skip',
    'A run is SKIPPED when its job has as many active runs as `max_concurrent_runs` allows (1 by ' +
      'default, and 0 skips all). Raise the limit, or wait until the active run has ended.',
    ['max_concurrent_runs'],
    'max_concurrent_runs',
  ),
  topic(
    'failed',
    'Finding out why a run failed',
    'why did run fail failed error message traceback output of run printed log reason internal_error',
    "Open the run's output (**Millrace: Open Output as Text**, or runs/get-output): `error` says what happened " +
      'and `state.state_message` gives the short form. FAILED means that the task ended with an error, ' +
      'TIMEDOUT that `timeout_seconds` passed, CANCELED that somebody stopped it, INTERNAL_ERROR that the ' +
      'service could not go on (it was stopped, say, while the run was active).',
    ['error', 'state.result_state', 'state.state_message'],
  ),
  sureTopic(
    [/\b(?:how|can i|where)\b.{0,20}\b(?:cancel|abort|kill|stop)\b.{0,20}\bruns?\b/i],
    'cancel',
    'Cancelling runs',
    'cancel stop abort run all active kill',
    '**Cancel Run** and **Cancel All Runs** stand in the menus of the view **Jobs**. Over the API, ' +
      '`POST /api/2.0/jobs/runs/cancel` with a `run_id` stops one run, `runs/cancel-all` with a `job_id` ' +
      'all active runs of a job; new runs can still start. Both are asynchronous: the run terminates ' +
      'shortly after. A run that has ended is not changed.',
    ['run_id'],
  ),
  topic(
    'export',
    'Exporting a run',
    'export html notebook download share dashboard views',
    '`GET /api/2.0/jobs/runs/export` gives a notebook run as HTML; other kinds of run cannot be ' +
      'exported. `views_to_export` is CODE (the default), DASHBOARDS or ALL. In the tree it is **Export ' +
      'Run…**.',
    ['views_to_export'],
  ),
  topic(
    'idempotency',
    'Starting a run exactly once',
    'idempotency token exactly once duplicate twice safe retry repeat request network',
    'Send an `idempotency_token` (at most 64 characters) with run-now or runs/submit. While a run with ' +
      'that token exists no second one is started and its `run_id` is returned, so the request may be ' +
      'repeated until it succeeds. If that run was deleted, the request is an error. Millrace always sends ' +
      'one.',
    ['idempotency_token'],
  ),
  sureTopic(
    [/(?<!spark[-_ ])\bsubmit\b(?!.{0,20}\bspark)/i, /\bwithout deploy|\b(?:file|run) once\b/i],
    'one-time-run',
    'A run without a job',
    'one time run submit without job single once runs/submit',
    'Run-now starts a run of a job that is deployed; **Run Now** on a job file deploys it first. `POST /api/2.0/jobs/runs/submit` starts a ' +
      'one-time run: a task, a cluster and a `run_name`, no job; here **Run Once** (**Run Job File Once without Deploying**) does that. ' +
      'Follow it with runs/get.',
    ['run_name', 'idempotency_token'],
  ),
  topic(
    'reset-update',
    'Reset or update',
    'reset update difference change settings job partial replace merge fields_to_remove',
    '`jobs/reset` replaces all settings. `jobs/update` replaces the top-level fields you give and merges ' +
      'arrays by their key fields; `fields_to_remove` takes fields away. In both cases a new ' +
      '`timeout_seconds` reaches active runs, everything else future runs only.',
    ['fields_to_remove', 'timeout_seconds'],
  ),
  sureTopic(
    [
      /\b(?:undo|restore|recover|bring back)\b.{0,40}\bdelet/i,
      /\b(?:delete|remove|clear|clean(?: ?up)?|purge)\b.{0,30}\b(?:runs|history|all jobs)\b(?!.{0,30}\b(?:after|when|if)\b)/i,
    ],
    'delete',
    'Deleting jobs and runs',
    'delete remove job run gone',
    '**Delete Job** and **Delete Run** stand in the menus of the view **Jobs**. ' +
      '`jobs/delete` removes the job and its history from view, sends e-mail to the addresses of its ' +
      'notifications and stops active runs soon after; deleting it again does nothing. `runs/delete` ' +
      'removes a run that has ended and refuses an active one. Runs are removed by themselves after 60 ' +
      'days. **Millrace: Reset Local Service…** removes everything, jobs too. Nothing brings them back.',
    [],
  ),
  topic(
    'retention',
    'How long runs are kept',
    'how long kept keep retention 60 90 days history old runs removed',
    'Runs are removed automatically after 60 days. Export those you want to keep.',
    [],
  ),
  topic(
    'list-runs',
    'Listing runs',
    'list runs page offset limit active completed filter has_more newest history',
    '`GET /api/2.0/jobs/runs/list` gives runs, the most recent first; `has_more` says whether there are ' +
      'further ones. `limit` is 20 by default and less than 1000.',
    ['active_only', 'completed_only', 'limit', 'offset'],
  ),
  sureTopic(
    [/\bhow many jobs (?:can|may|are allowed|fit)\b/i, /\b(?:limit|max\w*)\b.{0,20}\b(?:of|on) (?:the )?jobs\b/i],
    'limits',
    'Limits of the Jobs API',
    'limit limits maximum quota how many jobs size request bytes',
    'Requests have at most 10 MB. A workspace holds 12,000 saved jobs and 1,000 active runs, and 10,000 ' +
      'jobs may be created an hour. `max_concurrent_runs` is at most 1000, each kind of run parameters has ' +
      'at most 10,000 bytes as JSON, `idempotency_token` 64 characters, `run_name` 4096 bytes, ' +
      '`custom_tags` 45, `ssh_public_keys` 10, and 3 webhook destinations an event.',
    ['max_concurrent_runs', 'run_name', 'new_cluster.custom_tags'],
  ),
  topic(
    'paths',
    'Paths in job files',
    'path workspace dfs objstore file uri root folder where',
    "A path such as `/jobs/etl.py` is taken from the workspace's root. The local service maps `dfs:/x` " +
      'and `objstore://bucket/x` to folders below its data folder; `file:/x` is the file itself.',
    ['spark_python_task.python_file', 'notebook_task.notebook_path'],
    'spark_python_task.python_file',
  ),
  sureTopic(
    [/\b(?:run|start|execute|deploy)\b.{0,20}\b(?:jar|java|scala)\b/i],
    'jar',
    'Running a JAR',
    'jar java scala main class spark',
    'Give `main_class_name` and put the JAR into `libraries`. The code must obtain its Spark context with the get-or-create call. On this ' +
      'machine no cluster is needed, but Java and a Spark (pyspark, or `SPARK_HOME`).',
    ['spark_jar_task.main_class_name', 'spark_jar_task.parameters', 'libraries[].jar'],
    'spark_jar_task',
  ),
  topic(
    'run-job',
    'One job that runs another',
    'chain another job dependency after run_job_task trigger',
    'A `run_job_task` runs the job whose `job_id` it names. It needs no cluster of its own.',
    ['run_job_task.job_id'],
    'run_job_task',
  ),
  sureTopic(
    [/\benv(?:ironment)?[ -]?var\w*/i],
    'environment',
    'Environment variables',
    'environment variable env set export spark_env_vars',
    '`new_cluster.spark_env_vars` is a map that is exported when driver and workers start, and here for the program. ASCII characters only. ' +
      'Secrets do not belong there. Those of this machine reach the program only if the setting `millrace.local.environment` names them.',
    ['new_cluster.spark_env_vars', 'millrace.local.environment'],
    'new_cluster.spark_env_vars',
  ),
  topic(
    'init-scripts',
    'Scripts that run when a node starts',
    'init script bootstrap node start setup',
    '`new_cluster.init_scripts` is a list of scripts that run in the order given; each names one place.',
    ['new_cluster.init_scripts', 'new_cluster.cluster_log_conf'],
    'new_cluster.init_scripts',
  ),
  sureTopic(
    [/\b(?:driver|executor|cluster) logs?\b/i, /\blogs? (?:of|from) (?:the )?(?:spark )?(?:driver|executor|cluster)/i],
    'logs',
    'Where cluster logs go',
    'log logs delivery driver executor destination',
    'On this machine what the driver writes is the output of the run. `new_cluster.cluster_log_conf` names one destination. Logs are ' +
      'delivered every 5 minutes: driver ' +
      'logs to `<destination>/<cluster-id>/driver`, executor logs to `<destination>/<cluster-id>/executor`.',
    ['new_cluster.cluster_log_conf.dfs.destination'],
    'new_cluster.cluster_log_conf',
  ),
  topic(
    'spot',
    'Cheaper clusters',
    'spot cheap price on demand availability bid cost save money',
    'Under `new_cluster.cloud_attributes` choose `availability`: SPOT, ON_DEMAND or SPOT_WITH_FALLBACK; ' +
      'the first `first_on_demand` nodes are always on-demand.',
    [
      'new_cluster.cloud_attributes.availability',
      'new_cluster.cloud_attributes.first_on_demand',
      'new_cluster.cloud_attributes.spot_bid_price_percent',
    ],
    'new_cluster.cloud_attributes',
  ),
];
