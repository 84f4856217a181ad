import { AppError } from '../../shared/errors.ts';
import { createFileMap } from '../base/fileMap.ts';
import { childEnvironment } from './childEnvironment.ts';
import { createDebugging } from './debugging.ts';
import { createLibraryInstaller } from './libraries.ts';
import { LocalCluster } from './localCluster.ts';
import { createNotebookRunner } from './notebookRunner.ts';
import { createPythonFinder } from './python.ts';
import { createPythonFileRunner } from './pythonFileRunner.ts';
import type { Runner, Runners, RunnersOptions } from './runner.ts';
import { createSparkRunner } from './sparkRunner.ts';
import { isSparkConnect } from './sparkTools.ts';

/** Creates the runners of one service, which share what they know about this machine. Starts nothing. */
export function createRunners(options: RunnersOptions): Runners {
  const { root, dataFolder, graceInMs, clock, secrets, privateVariables } = options;
  const files = createFileMap({ root, dataFolder });
  const environment = childEnvironment(process.env, { secrets, named: options.environmentNames });
  const python = createPythonFinder({ configured: options.python, environment });
  const libraries = createLibraryInstaller({ dataFolder, files });
  const cluster = new LocalCluster({
    clock,
    dataFolder,
    files,
    secrets,
    privateVariables,
    graceInMs,
    libraries,
    environmentNames: options.environmentNames,
    sparkRemote: isSparkConnect(options.spark?.master) ? options.spark?.master : undefined,
  });
  const debugging = createDebugging({ dataFolder, python, libraries });
  const shared = { root, dataFolder, files, python, cluster, debugging };
  const pythonFile = createPythonFileRunner(shared);
  const notebook = createNotebookRunner({
    ...shared,
    engine: options.notebookEngine,
    sparkMaster: options.spark?.master,
  });
  const spark = createSparkRunner({ ...shared, ...options.spark, pythonFile, environment });

  return {
    forTask(task): Runner {
      if (task.notebook_task) return notebook;
      if (task.python_wheel_task) return pythonFile;
      if (task.spark_python_task || task.spark_jar_task || task.spark_submit_task) return spark;
      if (task.pipeline_task) {
        return lazily(async () =>
          (await import('./pipelineRunner.ts')).createPipelineRunner({ files, notebook, pythonFile: spark }),
        );
      }
      throw new AppError('invalid', 'The run has no task that can be run here; nothing was run.', {
        remedy: 'Give it a notebook, Python file, Spark JAR, spark-submit or pipeline task.',
      });
    },
    async probe() {
      return [...(await notebook.probe()), ...(await spark.probe())];
    },
  };
}

/** Returns a runner that loads when it first runs, because few workspaces have a task for it. */
function lazily(load: () => Promise<Runner>): Runner {
  return {
    run: async (request, events, options) => (await load()).run(request, events, options),
  };
}
