import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import * as path from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';

/**
 * Writes an exported view. Never over a file that is there: a taken name gets a number.
 * @returns the path of what was written
 * @throws AppError `unavailable` if it could not be written; nothing is left of it then
 */
export async function writeExport(folder: string, name: string, content: string): Promise<string> {
  const { name: base, ext } = path.parse(path.basename(name));
  for (let count = 1; count < 1000; count += 1) {
    const target = path.join(folder, count === 1 ? `${base}${ext}` : `${base} (${count})${ext}`);
    try {
      // Exclusive creation also refuses to follow a link that stands there.
      const handle = await open(target, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644);
      try {
        await handle.writeFile(content, 'utf8');
        await handle.close();
      } catch (error) {
        // Half a page would pass for a whole one.
        await handle.close().catch(() => undefined);
        await rm(target, { force: true });
        throw error;
      }
      return target;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new AppError(
        'unavailable',
        l10n.t('{0} could not be written: {1}. The export is not complete.', target, (error as Error).message),
        {
          cause: error,
          remedy: l10n.t('Make room or choose another folder, then export again.'),
        },
      );
    }
  }
  throw new AppError(
    'unavailable',
    l10n.t('{0} already holds 1,000 files named like {1}, so nothing was written.', folder, name),
    { remedy: l10n.t('Choose another folder.') },
  );
}
