import type { TaskKind } from '../../api/schema/jobs/taskKinds.ts';
import { l10n } from '../../shared/l10n.ts';

/** What each kind of task is called and drawn as. */
export const taskWords = (): Readonly<Record<TaskKind, { readonly label: string; readonly icon: string }>> => ({
  notebook_task: { label: l10n.t('notebook'), icon: 'notebook' },
  spark_jar_task: { label: l10n.t('Spark JAR'), icon: 'package' },
  spark_python_task: { label: l10n.t('Python file'), icon: 'file-code' },
  spark_submit_task: { label: l10n.t('spark-submit'), icon: 'terminal' },
  pipeline_task: { label: l10n.t('pipeline'), icon: 'type-hierarchy' },
  run_job_task: { label: l10n.t('run job'), icon: 'references' },
});
