import * as z from 'zod';
import { field, int32, oneOf, text } from '../field.ts';
import { newCluster } from './cluster.ts';
import { executionFields, retryFields } from './execution.ts';
import { jobEmailNotifications, jobsHealthRules } from './notifications.ts';
import { runConditions } from './taskGraph.ts';

/**
 * The lists of a job with several tasks. Jobs API 2.0 mentions such jobs without their fields, which are those of versions 2.1 and 2.2.
 */

/** A key that other parts of the settings refer to. */
const key = (what: string) =>
  z.string().regex(/^[\w-]{1,100}$/, {
    error: `must be 1 to 100 letters, digits, hyphens and underscores, because other parts of the job refer to the ${what} by it`,
  });

/** Jobs API 2.1, TaskDependency. */
const dependency = z.looseObject({
  task_key: field(text().min(1), 'Key of the task that this one waits for.'),
  outcome: field(
    oneOf(['true', 'false']).optional(),
    'After a condition task: the outcome with which this task runs. With the other one it is excluded.',
  ),
});

/** Jobs API 2.1, PythonWheelTask. */
const pythonWheelTask = z.looseObject({
  package_name: field(
    text().min(1),
    'Name of the package whose entry point is called. Its wheel is one of `libraries`.',
  ),
  entry_point: field(
    text().min(1),
    "Name of the entry point in the package's metadata; if it is not there, `package_name.entry_point()` is called.",
  ),
  parameters: field(
    z.array(z.string()).optional(),
    'Command-line parameters. References such as `{{job.parameters.name}}` are allowed. Not together with `named_parameters`.',
  ),
  named_parameters: field(
    z.record(z.string(), z.string()).optional(),
    'Command-line parameters as `--name=value`. Not together with `parameters`.',
  ),
});

const conditionOperators = [
  'EQUAL_TO',
  'NOT_EQUAL',
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
] as const;

/** Jobs API 2.1, ConditionTask. */
const conditionTask = z.looseObject({
  op: field(
    oneOf(conditionOperators),
    'How the operands are compared: EQUAL_TO and NOT_EQUAL as text, the others as numbers.',
  ),
  left: field(z.string(), 'Left operand: a text, or a reference such as `{{tasks.KEY.values.NAME}}`.'),
  right: field(z.string(), 'Right operand: a text or a reference.'),
});

const taskSettingsFields = {
  task_key: field(
    key('task'),
    'Name of the task, unique in its job: 1 to 100 letters, digits, hyphens and underscores.',
  ),
  description: field(z.string().optional(), 'Description of the task.'),
  depends_on: field(z.array(dependency).optional(), 'Tasks that must end before this one starts.', { default: [] }),
  run_if: field(
    oneOf(runConditions).optional(),
    'Which results of the tasks in `depends_on` let this one run. If they do not, it is skipped.',
    { default: 'ALL_SUCCESS' },
  ),
  ...executionFields,
  python_wheel_task: field(pythonWheelTask.optional(), 'Calls an entry point of a Python package.'),
  condition_task: field(
    conditionTask.optional(),
    'Compares two values; needs no cluster. Other tasks depend on its outcome.',
  ),
  job_cluster_key: field(text().min(1).optional(), 'Key of the cluster in `job_clusters` that the task uses.'),
  environment_key: field(text().min(1).optional(), 'Key of the environment in `environments` that the task uses.'),
  email_notifications: field(
    jobEmailNotifications.optional(),
    'E-mail addresses notified when runs of this task start, end, fail or last too long.',
    { default: 'no e-mail is sent' },
  ),
  ...retryFields,
  health: field(jobsHealthRules.optional(), 'Health rules of this task.'),
};

/** Jobs API 2.1, ForEachTask. */
const forEachTask = z.looseObject({
  inputs: field(
    z.string().min(1),
    'JSON array of the inputs, as text, such as `["a", "b"]`, or a reference to a task value or job parameter that holds one.',
  ),
  concurrency: field(int32().min(1).max(100).optional(), 'Maximum number of inputs that run at once.', { default: 1 }),
  task: field(
    z.looseObject(taskSettingsFields),
    'The task that runs once for each input, which it reads as `{{input}}`. It cannot be another for-each task.',
  ),
});

/** Jobs API 2.1, Task. */
const taskSettings = z.looseObject({
  ...taskSettingsFields,
  for_each_task: field(forEachTask.optional(), 'Runs a task once for each input.'),
});

/** Names of the fields of an entry of `tasks`. */
export const taskSettingsNames: readonly string[] = Object.keys(taskSettings.shape);

/** Jobs API 2.1, JobCluster. */
const jobCluster = z.looseObject({
  job_cluster_key: field(key('cluster'), 'Name that tasks refer to; unique in the job.'),
  new_cluster: field(newCluster, 'Description of the cluster.'),
});

/** Jobs API 2.1, JobEnvironment. */
const environment = z.looseObject({
  environment_key: field(key('environment'), 'Name that tasks refer to; unique in the job.'),
  spec: field(
    z
      .looseObject({
        environment_version: field(text().optional(), 'Version of the environment, such as `2`.'),
        client: field(text().optional(), 'Older name of `environment_version`.', { deprecated: true }),
        dependencies: field(
          z.array(z.string()).optional(),
          'What is installed, each as a line of a pip requirements file, such as `simplejson==3.8.0` or the path of a wheel.',
          { default: [] },
        ),
      })
      .optional(),
    'What the environment holds.',
  ),
});

/** Jobs API 2.1, JobParameterDefinition. */
const jobParameter = z.looseObject({
  name: field(
    z
      .string()
      .regex(/^[\w.-]{1,200}$/, { error: 'must be 1 to 200 letters, digits, underscores, hyphens and periods' }),
    'Name, with which tasks read the value as `{{job.parameters.NAME}}`.',
  ),
  default: field(z.string(), 'Value for runs that are started without one.'),
});

/** The lists beside the document's fields of JobSettings and of runs/submit. */
export const listFields = {
  tasks: field(
    z.array(taskSettings).optional(),
    'Tasks of the job, at most 100, in place of one task of its own. Each starts when those it depends on have ended. Version 2.1.',
  ),
  job_clusters: field(z.array(jobCluster).max(100).optional(), 'Clusters that several tasks share. Version 2.1.'),
  environments: field(z.array(environment).max(100).optional(), 'Environments that tasks use. Version 2.1.'),
  parameters: field(
    z.array(jobParameter).max(1000).optional(),
    'Parameters of the job, for all its tasks. Version 2.1.',
  ),
};
