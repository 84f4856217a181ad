/** A rule or a piece of advice that no single field tells. */
export interface Topic {
  kind: 'topic';
  id: string;
  title: string;
  /** Further words with which people ask for it. */
  asks: string;
  /** Markdown. */
  text: string;
  /** Paths of the fields it is about, told below it. */
  fields: readonly string[];
  /** Path of the job file whose example shows it. */
  example?: string;
}

const topic = (
  id: string,
  title: string,
  asks: string,
  text: string,
  fields: readonly string[] = [],
  example?: string,
): Topic => ({ kind: 'topic', id, title, asks, text, fields, example });

export const topics: readonly Topic[] = [
  topic(
    'job-file',
    'A job file',
    'job file job.yml yaml start begin first minimal create new simple example format required fields how to write',
    'A job file ends in `.job.yml` and holds the settings of one job: one task, a cluster, and whatever ' +
      'else you want (schedule, retries, notifications). It needs exactly one task and, except for ' +
      'pipeline and run-job tasks, either `existing_cluster_id` or `new_cluster`. The local service ' +
      'accepts any `existing_cluster_id`. **Millrace: Deploy Job File** creates or replaces the job; **Run ' +
      'Now** starts it.',
    ['spark_python_task', 'existing_cluster_id', 'name'],
    'spark_python_task',
  ),
  topic(
    'task-kinds',
    'The kinds of task',
    'task kind type which tasks are there notebook jar python submit pipeline run job',
    'A job has one task of six kinds: `notebook_task`, `spark_jar_task`, `spark_python_task`, `spark_submit_task`, `pipeline_task` or `run_job_task`.',
    ['notebook_task', 'spark_jar_task', 'spark_python_task', 'spark_submit_task', 'pipeline_task', 'run_job_task'],
    'spark_python_task',
  ),
  topic(
    'schedule',
    'Running a job on a schedule',
    "schedule cron every day night hour week month morning automatically periodic at time o'clock working days",
    'Give `schedule` a Quartz cron expression and a time zone. The six fields are seconds, minutes, ' +
      'hours, day of month, month and day of week, and a year may follow; one of the two day fields is ' +
      '`?`. `0 0 6 * * ?` is 06:00 every day, `0 0/15 * * * ?` every quarter of an hour, `0 30 2 ? * ' +
      'MON-FRI` 02:30 on working days, `0 0 9 1 * ?` 09:00 on the first of each month. Without `schedule` ' +
      'the job runs only when it is started.',
    ['schedule.quartz_cron_expression', 'schedule.timezone_id', 'schedule.pause_status'],
    'schedule',
  ),
  topic(
    'pause',
    'Pausing a schedule',
    'pause stop suspend disable schedule without deleting',
    'Set `schedule.pause_status` to `PAUSED`: the schedule stays in the settings and starts nothing. `UNPAUSED` lets it go on.',
    ['schedule.pause_status'],
    'schedule.pause_status',
  ),
  topic(
    'retries',
    'Retrying failed runs',
    'retry again failed repeat attempts automatically after failure',
    'Set `max_retries`: a run that ends FAILED or INTERNAL_ERROR is started again, as a new run with the ' +
      'trigger RETRY and an increasing `attempt_number`. -1 retries indefinitely. ' +
      '`min_retry_interval_millis` is the least time between the start of the failed run and the start of ' +
      'the retry; `retry_on_timeout` retries a run that was stopped by its time-out too.',
    ['max_retries', 'min_retry_interval_millis', 'retry_on_timeout'],
    'max_retries',
  ),
  topic(
    'timeouts',
    'Limiting how long a run lasts',
    'timeout too long stop after minutes hours hang limit duration kill take last run may how long',
    'Set `timeout_seconds`. A run that lasts longer is stopped with the result TIMEDOUT; it is retried ' +
      'only with `retry_on_timeout`. A change of the time-out reaches active runs as well.',
    ['timeout_seconds', 'retry_on_timeout'],
    'timeout_seconds',
  ),
  topic(
    'email',
    'E-mails about runs',
    'email mail notify alert failure success start send who',
    'List addresses under `email_notifications`: `on_start`, `on_success`, `on_failure`, and ' +
      '`on_duration_warning_threshold_exceeded` together with a rule in `health`. The addresses hold ASCII ' +
      'characters only. The local service sends through the SMTP server you configure; without one it ' +
      'keeps the messages as `.eml` files in a mailbox folder.',
    [
      'email_notifications.on_failure',
      'email_notifications.on_success',
      'email_notifications.on_start',
      'notification_settings.alert_on_last_attempt',
    ],
    'email_notifications.on_failure',
  ),
  topic(
    'webhooks',
    'Calling webhooks about runs',
    'webhook callback http slack destination notify',
    'Under `webhook_notifications` each event takes at most 3 destinations, referred to by `id`. ' +
      '`notification_settings` says when nothing is sent: for skipped runs, for cancelled runs, or before ' +
      'the last retry.',
    [
      'webhook_notifications.on_failure',
      'notification_settings.no_alert_for_skipped_runs',
      'notification_settings.no_alert_for_canceled_runs',
      'notification_settings.alert_on_last_attempt',
    ],
    'webhook_notifications.on_failure',
  ),
  topic(
    'slow-runs',
    'A warning when a run takes too long',
    'slow long duration warning health threshold alert takes',
    'Add a rule to `health` (metric `RUN_DURATION_SECONDS`, operator `GREATER_THAN`, a value in seconds) ' +
      'and addresses under `on_duration_warning_threshold_exceeded`. The run goes on; to stop it use ' +
      '`timeout_seconds`.',
    ['health.rules', 'email_notifications.on_duration_warning_threshold_exceeded'],
    'email_notifications.on_duration_warning_threshold_exceeded',
  ),
  topic(
    'concurrency',
    'How many runs at once',
    'concurrent parallel same time overlap simultaneous runs at once skipped skip queue limit',
    '`max_concurrent_runs` is how many runs of one job may be active at once: 1 by default, at most ' +
      '1000. Further runs are SKIPPED at once; 0 skips every new run. A lower limit stops nothing that ' +
      'runs already. The workspace holds at most 1000 active runs: beyond that, run-now and runs/submit ' +
      'answer HTTP 429.',
    ['max_concurrent_runs'],
    'max_concurrent_runs',
  ),
  topic(
    'clusters',
    'Choosing a cluster',
    'cluster compute machine workers size existing new difference',
    'Give either `existing_cluster_id` or `new_cluster`. A new cluster is created for each run and needs ' +
      '`spark_version`, a size (`num_workers` or `autoscale`) and `node_type_id` or `instance_pool_id`. ' +
      'The lists of versions, node types and zones come from `GET /api/2.0/clusters/spark-versions`, ' +
      '`list-node-types` and `list-zones`.',
    ['existing_cluster_id', 'new_cluster.spark_version', 'new_cluster.num_workers', 'new_cluster.node_type_id'],
    'new_cluster',
  ),
  topic(
    'autoscale',
    'A cluster that grows and shrinks',
    'autoscale scale automatically workers min max load elastic',
    'Give `autoscale` in place of `num_workers`. `max_workers` must be greater than `min_workers`.',
    ['new_cluster.autoscale.min_workers', 'new_cluster.autoscale.max_workers'],
    'new_cluster.autoscale',
  ),
  topic(
    'libraries',
    'Installing libraries',
    'library libraries install package dependency pip pypi wheel jar maven requirements pandas numpy',
    '`libraries` is a list; each entry holds exactly one of `jar`, `egg`, `whl`, `pypi`, `maven` or ' +
      '`cran`. They are not supported with a spark-submit task: use `--jars` and `--py-files` there.',
    ['libraries[].pypi.package', 'libraries[].whl', 'libraries[].jar', 'libraries[].maven.coordinates'],
    'libraries',
  ),
  topic(
    'notebook-parameters',
    'Parameters of a notebook',
    'notebook parameter widget pass value read dbutils base arguments',
    'Give `base_parameters` in the job file, and `notebook_params` with run-now; on the same key the ' +
      'run-now value wins. In the notebook, `dbutils.widgets.get("day")` reads one. Names and values are ' +
      'text of ASCII characters; the JSON form of `notebook_params` has at most 10,000 bytes.',
    ['notebook_task.base_parameters', 'notebook_params'],
    'notebook_task.base_parameters',
  ),
  topic(
    'python-parameters',
    'Parameters of a Python file',
    'python parameter argument command line sys argv script pass',
    'Give `parameters` in the task, a list of texts that arrive in `sys.argv`; `python_params` of ' +
      'run-now replaces them. ASCII characters only, at most 10,000 bytes as JSON. Dynamic references such ' +
      'as `{{run_id}}` are filled in.',
    ['spark_python_task.parameters', 'python_params'],
    'spark_python_task.parameters',
  ),
  topic(
    'run-parameters',
    'Parameters for one run',
    'run now parameters override kinds large size bytes limit jar_params notebook_params python_params spark_submit_params',
    'A run-now request takes one kind of parameters, the one that goes with the task: `notebook_params` ' +
      '(a map) for notebooks, `jar_params`, `python_params` or `spark_submit_params` (lists) for the ' +
      'others. The JSON form of each has at most 10,000 bytes.',
    ['notebook_params', 'python_params', 'jar_params', 'spark_submit_params'],
  ),
  topic(
    'dynamic-values',
    'Values known only when the run starts',
    'dynamic value reference run_id job_id start date template variable curly braces',
    'Parameters may refer to the run with dynamic value references in double braces, such as ' +
      '`{{run_id}}` or `{{job_id}}`; they are replaced when the run starts.',
    ['spark_python_task.parameters', 'spark_jar_task.parameters'],
    'spark_python_task.parameters',
  ),
  topic(
    'exit-value',
    "A notebook's result",
    'notebook exit value return result output get-output dbutils',
    'Call `dbutils.notebook.exit("value")`. The value comes back in `notebook_output.result` of ' +
      'runs/get-output, its first 1 MB only. A notebook that never calls it has an empty output. ' +
      'runs/get-output returns at most the first 5 MB, and a cell whose output exceeds 8 MB fails the run.',
    ['notebook_output.result', 'notebook_output.truncated', 'notebook_task'],
    'notebook_task',
  ),
  topic(
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
    'output',
    'The output of a run',
    'output of run printed stdout result text log where show',
    '**Millrace: Show Output**, or `GET /api/2.0/jobs/runs/get-output` with a `run_id`, gives what a run ' +
      "left: a notebook's exit value in `notebook_output`, or in `error` why there is none, and the run " +
      'itself in `metadata`. At most the first 5 MB.',
    ['metadata', 'notebook_output', 'error'],
  ),
  topic(
    'failed',
    'Finding out why a run failed',
    'why did run fail failed error message traceback output of run printed log reason internal_error',
    "Open the run's output (**Millrace: Show Output**, or runs/get-output): `error` says what happened " +
      'and `state.state_message` gives the short form. FAILED means that the task ended with an error, ' +
      'TIMEDOUT that `timeout_seconds` passed, CANCELED that somebody stopped it, INTERNAL_ERROR that the ' +
      'service could not go on (it was stopped, say, while the run was active).',
    ['error', 'state.result_state', 'state.state_message'],
  ),
  topic(
    'cancel',
    'Cancelling runs',
    'cancel stop abort run all active kill',
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
      'Run**.',
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
  topic(
    'one-time-run',
    'A run without a job',
    'one time run submit without job single once runs/submit',
    '`POST /api/2.0/jobs/runs/submit` starts a one-time run: a task, a cluster and a `run_name`, no job. Follow it with runs/get.',
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
  topic(
    'delete',
    'Deleting jobs and runs',
    'delete remove job run history gone',
    '`jobs/delete` removes the job and its history from view, sends e-mail to the addresses of its ' +
      'notifications and stops active runs soon after; deleting it again does nothing. `runs/delete` ' +
      'removes a run that has ended and refuses an active one. Runs are removed by themselves after 60 ' +
      'days.',
    [],
  ),
  topic(
    'retention',
    'How long runs are kept',
    'how long kept retention 60 days history old runs removed',
    'Runs are removed automatically after 60 days. Export those you want to keep.',
    [],
  ),
  topic(
    'list-runs',
    'Listing runs',
    'list runs page offset limit active completed filter has_more newest',
    '`GET /api/2.0/jobs/runs/list` gives runs, the most recent first; `has_more` says whether there are ' +
      'further ones. `limit` is 20 by default and less than 1000.',
    ['active_only', 'completed_only', 'limit', 'offset'],
  ),
  topic(
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
    'errors',
    'Errors of the service',
    'error 429 400 500 too many requests invalid http status code retry server',
    'HTTP 400 is a request that breaks a rule, 429 means that a run cannot start now because the ' +
      'workspace is at its limit of active runs, and 500 or above is a failure of the server: repeat the ' +
      'request for up to 10 minutes with at least 30 seconds between the attempts. The local service ' +
      'answers `{"error_code", "message"}`.',
    [],
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
  topic(
    'spark-submit',
    'spark-submit tasks',
    'spark submit jar class conf driver memory parameters',
    'A `spark_submit_task` runs only on a new cluster, without `libraries` and without `spark_conf`: use ' +
      '`--jars`, `--py-files` and `--conf`. Master, deploy mode and executor cores are set automatically ' +
      'and must not be given.',
    ['spark_submit_task.parameters'],
    'spark_submit_task',
  ),
  topic(
    'jar',
    'Running a JAR',
    'jar java scala main class spark',
    'Give `main_class_name` and put the JAR into `libraries`. The code must obtain its Spark context with the get-or-create call.',
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
  topic(
    'environment',
    'Environment variables',
    'environment variable env set export spark_env_vars',
    '`new_cluster.spark_env_vars` is a map that is exported when driver and workers start. ASCII ' +
      'characters only. Secrets do not belong there: use a secrets facility.',
    ['new_cluster.spark_env_vars', 'new_cluster.spark_conf'],
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
  topic(
    'logs',
    'Where cluster logs go',
    'log logs delivery driver executor destination',
    '`new_cluster.cluster_log_conf` names one destination. Logs are delivered every 5 minutes: driver ' +
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
  topic(
    'chat',
    'Chat requests',
    'chat request messages role system user assistant invoke model call endpoint invocations curl',
    '`POST /serving-endpoints/{name}/invocations` with `messages`. Roles are system (once, as the first ' +
      'message), user, assistant and tool. Without `"stream": true` the whole answer comes at once.',
    ['messages', 'messages[].role', 'max_tokens', 'temperature', 'stop'],
  ),
  topic(
    'streaming',
    'Streamed answers',
    'stream streaming sse server-sent events chunk done role finish_reason',
    'With `"stream": true` the answer comes as server-sent events, one chunk each, then `data: [DONE]`. ' +
      'Only the first chunk is sure to carry `role`, only the last carries `finish_reason`; usage may be ' +
      'absent. A stream without a finish_reason was cut off. Embedding endpoints do not stream.',
    ['stream'],
  ),
  topic(
    'tools',
    'Functions that a model may call',
    'tool tools function calling tool_choice required auto none forced',
    'List at most 32 functions in `tools`, each with at most 15 properties. `tool_choice` is `auto` (the ' +
      "default with tools), `required`, `none`, or an object that forces one function. The answer's " +
      '`tool_calls` carry the arguments as JSON text; answer each with a message of the role tool and its ' +
      '`tool_call_id`.',
    ['tools', 'tool_choice', 'messages[].tool_call_id'],
  ),
  topic(
    'structured',
    'Answers as JSON',
    'json schema structured output response_format json_object format',
    '`response_format` of the type `json_schema` makes the answer follow a schema, `json_object` makes it valid JSON without a particular one.',
    ['response_format.type', 'response_format.json_schema'],
  ),
  topic(
    'logprobs',
    'Log probabilities',
    'logprobs log probability top_logprobs candidates token',
    'Set `logprobs` to true, and `top_logprobs` to 0 to 20 for the most likely candidates at each step.',
    ['logprobs', 'top_logprobs'],
  ),
  topic(
    'sampling',
    'Sampling',
    'temperature top_p top_k sampling random deterministic creative',
    '`temperature` (0 to 2) adds randomness, 0 is deterministic. `top_p` (above 0, up to 1) and `top_k` ' +
      'limit the tokens that are drawn from; `top_k: 1` is deterministic too.',
    ['temperature', 'top_p', 'top_k'],
  ),
  topic(
    'completion',
    'Completion requests',
    'completion prompt echo suffix use_raw_prompt error_behavior text',
    "`prompt` is a text or a list of independent ones; a choice's `index` is that of its prompt. `echo` " +
      'repeats the prompt, `suffix` is appended to every completion, `use_raw_prompt` sends the prompt ' +
      'without any transformation, and `error_behavior` says what happens at time-outs and full contexts.',
    ['prompt', 'echo', 'suffix', 'error_behavior', 'use_raw_prompt'],
  ),
  topic(
    'embedding',
    'Embedding requests',
    'embedding vector input instruction similarity search',
    '`input` is a text or a list of texts; `data` holds one vector for each, in the same order. ' +
      '`instruction` is for models that want one. Embeddings are not streamed and their usage has no ' +
      '`completion_tokens`.',
    ['input', 'instruction'],
  ),
  topic(
    'endpoint-kinds',
    'Kinds of endpoint',
    'endpoint pay per token provisioned throughput create serving a/b testing traffic n',
    'Pay-per-token endpoints exist in advance; provisioned throughput endpoints are created with `POST ' +
      '/api/2.0/serving-endpoints` and may serve several models of the same task. `n` works on provisioned ' +
      'ones only, `error_behavior` on pay-per-token ones only.',
    ['name', 'config', 'n', 'error_behavior'],
  ),
  topic(
    'upstreams',
    'Using a real language model',
    'real language model llm connect upstream ollama llama.cpp vllm lm studio own models.json openai configure local',
    'Start Ollama, llama.cpp, vLLM or LM Studio on this machine and its models appear as endpoints by ' +
      "themselves. A server elsewhere is written into `models.json` in the service's data folder: " +
      '`{"upstreams": [{"name": "lab", "kind": "vllm", "baseUrl": "http://host:8000/v1", "models": "all", ' +
      '"apiKeyVariable": "LAB_KEY"}]}`. The key itself stays in the environment variable.',
    [],
  ),
  topic(
    'local-service',
    'The local service',
    'local service start serve profile without account data folder token',
    'The profile **Local** starts a service on this machine by itself: no account, no setting. It runs ' +
      'Python files and notebooks with your own python3 and keeps jobs and runs in its data folder. ' +
      'Outside the editor: `node dist/millrace.js serve --root DIR --data DIR` prints one line of JSON ' +
      'with `url` and `token`.',
    [],
  ),
  topic(
    'profiles',
    'Connecting to a workspace',
    'profile connect sign in authenticate authentication login token remote workspace url production read-only',
    '**Millrace: Add Profile…** asks for the base URL and the token, checks them, and keeps the token in ' +
      "the editor's secret storage. A profile may be marked as production (changes are confirmed by name) " +
      'or read-only (changes are refused).',
    [],
  ),
  topic(
    'secrets',
    'Secrets',
    'secret password credential hard code plain text key',
    'Never write secrets into a job file or its parameters: use a secrets facility and let the task read them when it runs.',
    [],
  ),
];
