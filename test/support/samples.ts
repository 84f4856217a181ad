/** Answers of the size that a busy workspace gives, for benches and tests. */

/** A runs/list answer. Ids are beyond 2^53 if `unsafe`, as real services give them. */
export function runsListText(runs: number, unsafe: boolean): string {
  const base = unsafe ? 9_007_199_254_740_993n : 4_007_199_254_740_993n;
  const list: string[] = [];
  for (let index = 0; index < runs; index++) {
    const id = base + BigInt(index) * 7n;
    const started = 1_700_000_000_000 + index * 60_000;
    list.push(
      `{"job_id":${base + BigInt(index % 40)},"run_id":${id},"number_in_job":${id + 1n},` +
        `"original_attempt_run_id":${id},"creator_user_name":"someone.${index % 17}@example.com",` +
        `"state":{"life_cycle_state":"TERMINATED","result_state":"${index % 5 === 0 ? 'FAILED' : 'SUCCESS'}",` +
        '"user_cancelled_or_timedout":false,"state_message":"Task ' +
        `ingest ${index} said: \\"done\\", 1234567890123456789 rows"},` +
        `"schedule":{"quartz_cron_expression":"0 30 2 ? * MON-FRI","timezone_id":"Europe/Berlin","pause_status":"UNPAUSED"},` +
        `"task":{"notebook_task":{"notebook_path":"/Users/someone@example.com/reports/daily-${index % 40}",` +
        `"base_parameters":{"date":"2026-11-20","region":"eu-${index % 9}"}}},` +
        '"cluster_spec":{"new_cluster":{"spark_version":"15.4.x-scala2.12","node_type_id":"i3.xlarge",' +
        `"num_workers":${index % 12},"spark_conf":{"spark.sql.shuffle.partitions":"200"}},` +
        '"libraries":[{"pypi":{"package":"simplejson==3.8.0"}}]},' +
        `"cluster_instance":{"cluster_id":"1120-${100_000 + index}-abc${index % 1000}","spark_context_id":"${id}"},` +
        '"overriding_parameters":{"notebook_params":{"date":"2026-11-19"}},' +
        `"start_time":${started},"setup_duration":${index % 9000},"execution_duration":${30_000 + index},` +
        `"cleanup_duration":0,"end_time":${started + 90_000},"trigger":"PERIODIC","run_name":"daily ` +
        `report ${index % 40}",` +
        `"run_page_url":"https://service.example/?o=1#job/${index % 40}/run/${index}","run_type":"JOB_RUN","attempt_number":0}`,
    );
  }
  return `{"runs":[${list.join(',')}],"has_more":true}`;
}

/** A jobs/list answer; 12,000 jobs are about 20 MB. */
export function jobsListText(jobs: number, unsafe: boolean): string {
  const base = unsafe ? 9_007_199_254_740_993n : 4_007_199_254_740_993n;
  const list: string[] = [];
  for (let index = 0; index < jobs; index++) {
    const parameters = Array.from(
      { length: 12 },
      (_, position) => `"--option-${position}=value ${index}-${position} of a longer kind"`,
    ).join(',');
    list.push(
      `{"job_id":${base + BigInt(index) * 3n},"creator_user_name":"someone.${index % 17}@example.com",` +
        `"run_as":"someone.${index % 17}@example.com","settings":{"name":"Job ` +
        `${index}: ingest \\"${index % 90}\\"",` +
        '"new_cluster":{"spark_version":"15.4.x-scala2.12","node_type_id":"i3.xlarge","autoscale":{"min_workers":2,' +
        `"max_workers":${3 + (index % 20)}},"cloud_attributes":{"first_on_demand":1,"availability":"SPOT_WITH_FALLBACK",` +
        '"zone_id":"auto","spot_bid_price_percent":100},' +
        '"spark_conf":{"spark.sql.shuffle.partitions":"200","spark.speculation":"true"},' +
        `"custom_tags":{"team":"team-${index % 30}","cost-centre":"${1000 + (index % 50)}"},` +
        '"spark_env_vars":{"PYSPARK_PYTHON":"/usr/bin/python3"}},' +
        `"libraries":[{"pypi":{"package":"simplejson==3.8.0"}},{"whl":"dfs:/libs/etl-${index % 9}.0-py3-none-any.whl"}],` +
        `"spark_python_task":{"python_file":"dfs:/jobs/etl-${index}.py","parameters":[${parameters}]},` +
        `"email_notifications":{"on_failure":["team-${index % 30}@example.com"],"no_alert_for_skipped_runs":false},` +
        '"timeout_seconds":3600,"max_retries":2,"min_retry_interval_millis":60000,"retry_on_timeout":false,' +
        `"schedule":{"quartz_cron_expression":"0 ${index % 60} 2 ? * ` +
        'MON-FRI","timezone_id":"Europe/Berlin","pause_status":"UNPAUSED"},"max_concurrent_runs":1,' +
        '"health":{"rules":[{"metric":"RUN_DURATION_SECONDS","operator":"GREATER_THAN","value":7200}]}},' +
        `"created_time":${1_600_000_000_000 + index}}`,
    );
  }
  return `{"jobs":[${list.join(',')}]}`;
}
