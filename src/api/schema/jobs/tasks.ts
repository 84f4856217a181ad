import * as z from 'zod';
import { asciiString, field, identifier, int64, text } from '../field.ts';

/** Jobs API 2.0, ParamPair: names and values of ASCII characters only. */
const paramMap = () => z.record(asciiString(), asciiString());

/** Jobs API 2.0, NotebookTask. */
const notebookTask = z.looseObject({
  notebook_path: field(
    identifier().startsWith('/', {
      error:
        'must be an absolute path of the workspace: it starts with a slash, such as /Users/someone@example.com/report',
    }),
    'Absolute path of the notebook in the workspace; starts with a slash.',
    { refersTo: 'notebook' },
  ),
  revision_timestamp: field(int64().optional(), 'Timestamp of the notebook revision.', {
    documentType: 'LONG',
    unit: 'ms',
  }),
  base_parameters: field(
    paramMap().optional(),
    'Base parameters for every run of the job. Merged with run-now parameters; on the same key the ' +
      "run-now value wins. A parameter that neither sets uses the notebook's own default. Read with " +
      '`dbutils.widgets.get`. ASCII characters only.',
  ),
});

/** Jobs API 2.0, SparkJarTask. */
const sparkJarTask = z.looseObject({
  jar_uri: field(text().optional(), 'Deprecated: give the JAR through `libraries`.', { deprecated: true }),
  main_class_name: field(
    text().optional(),
    'Fully qualified name of the class that holds the main method. The class must be in a JAR provided ' +
      'as a library. Code must obtain its Spark context with the get-or-create call, or the run fails.',
  ),
  parameters: field(
    z.array(z.string()).optional(),
    'Parameters passed to the main method. Dynamic value references such as `{{run_id}}` are allowed.',
  ),
});

/** Jobs API 2.0, SparkPythonTask. */
const sparkPythonTask = z.looseObject({
  python_file: field(
    identifier(),
    'URI of the Python file; file-system and object-storage paths are supported, such as `dfs:/jobs/etl.py` or `/jobs/etl.py`.',
    { refersTo: 'pythonFile' },
  ),
  parameters: field(
    z.array(z.string()).optional(),
    'Command-line parameters passed to the Python file. Dynamic value references such as `{{run_id}}` are allowed.',
  ),
});

/** Jobs API 2.0, SparkSubmitTask. */
const sparkSubmitTask = z.looseObject({
  parameters: field(
    z.array(z.string()).optional(),
    'Command-line parameters of spark-submit. Only on new clusters, without `libraries` and `spark_conf` ' +
      '(use `--jars`, `--py-files` and `--conf`). Master, deploy-mode and executor-cores are set ' +
      'automatically and must not be given. By default all available memory is used: lower ' +
      '`--driver-memory` and `--executor-memory` to leave off-heap room.',
  ),
});

/** Jobs API 2.0, PipelineTask. */
const pipelineTask = z.looseObject({
  pipeline_id: field(identifier(), 'Full name of the pipeline task to run.'),
});

/** Jobs API 2.0, RunJobTask. */
const runJobTask = z.looseObject({
  job_id: field(int64(), 'Identifier of the job to run.', { refersTo: 'job', documentType: 'INT32' }),
});

export const taskFields = {
  notebook_task: field(notebookTask.optional(), 'Runs a notebook. Cannot be combined with the Spark JAR task.'),
  spark_jar_task: field(
    sparkJarTask.optional(),
    'Runs the main class of a JAR. Cannot be combined with the notebook task.',
  ),
  spark_python_task: field(sparkPythonTask.optional(), 'Runs a Python file.'),
  spark_submit_task: field(sparkSubmitTask.optional(), 'Runs spark-submit. Only on new clusters.'),
  pipeline_task: field(pipelineTask.optional(), 'Runs a pipeline. The cluster may be left out.'),
  run_job_task: field(runJobTask.optional(), 'Runs another job.'),
};

/** Jobs API 2.0, JobTask. */
const jobTask = z.looseObject(taskFields);
export type JobTask = z.output<typeof jobTask>;

/** Jobs API 2.0, RunParameters. */
export const runParameterFields = {
  jar_params: field(
    z.array(z.string()).optional(),
    'Parameters for the main function of the main class of a Spark JAR task. Not combinable with `notebook_params`. JSON form at most 10,000 bytes.',
    { default: [] },
  ),
  notebook_params: field(
    paramMap().optional(),
    'Key-value map passed to the notebook, read with `dbutils.widgets.get`. If omitted, the run uses the ' +
      "job's base parameters. Not combinable with `jar_params`. ASCII only; JSON form at most 10,000 bytes.",
  ),
  python_params: field(
    z.array(asciiString()).optional(),
    'Command-line parameters to the Python file; they override those of the job settings. ASCII only; JSON form at most 10,000 bytes.',
  ),
  spark_submit_params: field(
    z.array(asciiString()).optional(),
    'Command-line parameters to the spark-submit script; they override those of the job settings. ASCII only; JSON form at most 10,000 bytes.',
  ),
};
export type RunParameters = Partial<z.output<z.ZodObject<typeof runParameterFields>>>;
