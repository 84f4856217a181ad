import { AppError } from '../../shared/errors.ts';
import { createFileMap } from '../files.ts';
import { childEnvironment } from './childEnvironment.ts';
import { createCluster } from './cluster.ts';
import { createLibraryInstaller } from './libraries.ts';
import { createNotebookRunner } from './notebookRunner.ts';
import { createPythonFinder } from './python.ts';
import { createPythonFileRunner } from './pythonFileRunner.ts';
import type { Runner, Runners, RunnersOptions } from './runner.ts';

/** The runners of one service, sharing what they know about this machine. Starts nothing. */
export function createRunners(options: RunnersOptions): Runners {
  const { root, dataFolder, graceInMs, secrets } = options;
  const files = createFileMap({ root, dataFolder });
  const python = createPythonFinder({ configured: options.python, environment: childEnvironment(process.env, {}, secrets) });
  const cluster = createCluster({ dataFolder, files, python, secrets, graceInMs, libraries: createLibraryInstaller({ dataFolder, files }) });
  const shared = { root, dataFolder, files, python, cluster, graceInMs };
  const pythonFile = createPythonFileRunner(shared);
  const notebook = createNotebookRunner({ ...shared, engine: options.notebookEngine, sparkMaster: options.spark?.master });

  const runners: Runners = {
    forTask(task): Runner {
      if (task.notebook_task) return notebook;
      if (task.spark_python_task) return pythonFile;
      throw new AppError('invalid', 'The run has no task that can be run here; nothing was run.', {
        remedy: 'Give it a notebook, Python file, Spark JAR, spark-submit or pipeline task.',
      });
    },
    probe: (probeOptions) => notebook.probe(probeOptions),
  };
  return runners;
}
