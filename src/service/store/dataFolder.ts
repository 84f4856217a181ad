import { chmodSync, readdirSync, statSync } from 'node:fs';
import { AppError, describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { makeFolder } from '../../shared/node/makeFolder.ts';
import { databaseFileName } from './databaseFileName.ts';

/** Set where many users put files, as in /tmp. */
const stickyBit = 0o1000;

/**
 * Makes the folder, readable by its owner only. One that is there and is nobody else's gets the same mode; a shared one,
 * such as /tmp, keeps its own, and the log says so.
 *
 * @throws AppError `unavailable` if it cannot be made
 */
export function prepareDataFolder(dataFolder: string, logger: Logger): void {
  try {
    makeFolder(dataFolder, 0o700);
  } catch (error) {
    throw new AppError(
      'unavailable',
      `The data folder ${dataFolder} cannot be made: ${(error as Error).message}. Nothing was started.`,
      {
        cause: error,
        remedy: 'Give a folder that can be written, on a disk with room, with --data.',
      },
    );
  }
  if (process.platform !== 'win32') closeToOthers(dataFolder, logger);
}

function closeToOthers(dataFolder: string, logger: Logger): void {
  const mode = statSync(dataFolder).mode & 0o7777;
  if ((mode & 0o077) === 0) return;
  const was = `The data folder ${dataFolder} could be read by other users of this machine (mode ${mode.toString(8)})`;
  try {
    const names = readdirSync(dataFolder);
    const isShared = (mode & stickyBit) !== 0 || (names.length > 0 && !names.includes(databaseFileName));
    if (isShared) {
      logger.warn(
        `${was} and is shared or holds other files, so its mode was left. New files of the service are readable by you only; a folder of its own is better.`,
      );
      return;
    }
    chmodSync(dataFolder, 0o700);
    logger.warn(`${was}. It is now readable by you only (mode 700).`);
  } catch (error) {
    logger.warn(`${was}, which could not be changed: ${describeError(error)} Run: chmod 700 ${dataFolder}`);
  }
}
