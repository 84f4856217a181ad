import { sureTopic, type Topic, topic } from './topic.ts';

/** Topics about the contents of a job file. */
export const settingTopics: readonly Topic[] = [
  sureTopic(
    [
      /\b(?:get|getting) started\b/i,
      /\b(?:first|new|create an?|add an?) job\b/i,
      /\b(?:between|is) (?:an? |the )?jobs? (?:and|or) (?:an? )?runs?\b/i,
    ],
    'job-file',
    'A job file',
    'job file job.yml yaml start begin first minimal create new simple example format required fields how to write',
    'A job file ends in `.job.yml` and holds the settings of one job: one task, a cluster, and whatever ' +
      'else you want (schedule, retries, notifications). It needs exactly one task and, except for ' +
      'pipeline and run-job tasks, either `existing_cluster_id` or `new_cluster`. The local service ' +
      'accepts any `existing_cluster_id`. **Millrace: New Job File** begins one, **Millrace: Deploy Job File** creates or replaces the job, ' +
      'and **Run Now** starts a run: one execution of it, with its own state and output.',
    ['spark_python_task', 'existing_cluster_id', 'name'],
    'spark_python_task',
  ),
  sureTopic(
    [/\b(?:kind|sort|type)s? of tasks?\b/i],
    'task-kinds',
    'The kinds of task',
    'task kind type which tasks are there notebook jar python submit pipeline run job',
    'A job has one task of six kinds: `notebook_task`, `spark_jar_task`, `spark_python_task`, `spark_submit_task`, `pipeline_task` or `run_job_task`.',
    ['notebook_task', 'spark_jar_task', 'spark_python_task', 'spark_submit_task', 'pipeline_task', 'run_job_task'],
    'spark_python_task',
  ),
  sureTopic(
    [
      /\b(?:\d+|two|three|several|multiple|many) tasks\b/i,
      /\b(?:tasks?|steps?|jobs?)\b.{0,40}\b(?:one after (?:another|the other)|in sequence|in order)\b/i,
    ],
    'several-tasks',
    'Several tasks, or jobs one after the other',
    'several multiple two tasks task_key depends_on depend dependency dag workflow multi-task chain after another',
    'In version 2.0 of the Jobs API a job has one task. `tasks`, `task_key`, `depends_on` and `job_clusters` belong to ' +
      'version 2.1 and do nothing here. Make a job of each step, and a job whose `run_job_task` names the one to run by ' +
      'its `job_id`. A job file with `tasks` has quick fixes for both: a single task becomes the job’s own, and several ' +
      'become jobs that are joined by `run_job_task`.',
    ['run_job_task', 'run_job_task.job_id'],
    'run_job_task',
  ),
  topic(
    'other-versions',
    'Fields of version 2.1',
    'git_source git source repository continuous',
    '`git_source`, `continuous`, `trigger`, `tags`, `access_control_list` and `environments` belong to version 2.1 of ' +
      'the Jobs API. The local service keeps them with the job and does nothing with them. Bring the code into the ' +
      'workspace instead of `git_source`, and use `schedule` instead of `continuous` and `trigger`.',
    ['schedule', 'max_concurrent_runs'],
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
    'Set `schedule.pause_status` to `PAUSED`: the schedule stays in the settings and starts nothing. `UNPAUSED` lets it go on. ' +
      '**Pause Schedule** and **Resume Schedule** in the menu of the job, in the view **Jobs**, do the same.',
    ['schedule.pause_status'],
    'schedule.pause_status',
  ),
  sureTopic(
    [
      /\bflaky\b/i,
      /\b(?:try|tries|tried|attempt\w*|repeat\w*|rerun\w*) (?:\w+ ){0,3}times\b/i,
      /\btry(?:ing)? again\b/i,
    ],
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
  sureTopic(
    [/\b(?:slack|teams|pager ?duty|discord|webhooks?)\b/i],
    'webhooks',
    'Calling webhooks about runs',
    'webhook callback http slack destination notify',
    'Under `webhook_notifications` each event takes at most 3 destinations, referred to by `id`. On this machine ' +
      "`millrace.local.destinations` says the URL of each `id`; your company's service has its own. " +
      '`notification_settings` says when nothing is sent: for skipped runs, for cancelled runs, or before ' +
      'the last retry.',
    [
      'webhook_notifications.on_failure',
      'millrace.local.destinations',
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
  sureTopic(
    [
      /\b(?:another|previous|earlier|last|old|other) (?:run|one)\b.{0,30}\b(?:still|going|running|active|finished|done)\b/i,
      /\boverlap\w*/i,
      /\b(?:at the same time|in parallel|simultaneously)\b/i,
      /\b(?:stuck|stays?|remains?|waits?|waiting)\b.{0,20}\b(?:pending|queued)\b/i,
    ],
    'concurrency',
    'How many runs at once',
    'concurrent parallel same time overlap simultaneous runs at once skipped skip queue limit',
    '`max_concurrent_runs` is how many runs of one job may be active at once: 1 by default, at most ' +
      '1000. Further runs are SKIPPED at once; 0 skips every new run. A lower limit stops nothing that ' +
      'runs already. The workspace holds at most 1000 active runs: beyond that, run-now and runs/submit ' +
      'answer HTTP 429. How many runs of all jobs execute at once on this machine is the setting `millrace.local.maxParallelRuns`.',
    ['max_concurrent_runs', 'millrace.local.maxParallelRuns'],
    'max_concurrent_runs',
  ),
  sureTopic(
    [/\b(?:is|need) a cluster\b/i],
    'clusters',
    'Choosing a cluster',
    'cluster compute machine workers size existing new difference',
    'A cluster is the machines of a run. Here each run is a process of this machine, and says which settings have no effect. ' +
      'Give either `existing_cluster_id` (any, here) or `new_cluster`. Elsewhere a new cluster is created for each run and needs ' +
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
  sureTopic(
    [/\brequirements(?:\.txt)?\b/i, /\bpip install\b/i],
    'libraries',
    'Installing libraries',
    'library libraries install package dependency pip pypi wheel jar maven requirements pandas numpy',
    '`libraries` is a list; each entry holds exactly one of `jar`, `egg`, `whl`, `pypi`, `maven` or ' +
      '`cran`. They are not supported with a spark-submit task: use `--jars` and `--py-files` there. ' +
      'A `requirements.txt` is not read: give its packages, one `pypi` each.',
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
];
