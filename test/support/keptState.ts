import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/**
 * Resolves once the window has put a text away, such as the name of a tab: an editor in a browser does so every few seconds, and what it
 * has not put away by then is not there after a reload.
 */
export async function untilKept(page: Page, text: string): Promise<void> {
  const isKept = (): Promise<boolean> =>
    page.evaluate(async (wanted) => {
      const result = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(new Error('The database cannot be read.'));
        });
      for (const { name } of await indexedDB.databases()) {
        if (!name?.startsWith('vscode-web-state-db-')) continue;
        const database = await result(indexedDB.open(name));
        try {
          for (const store of database.objectStoreNames) {
            const values = await result(database.transaction(store).objectStore(store).getAll());
            // States are JSON in JSON.
            if (JSON.stringify(values).replaceAll('\\', '').includes(wanted)) return true;
          }
        } finally {
          database.close();
        }
      }
      return false;
    }, text);
  await eventually(isKept, `the window to keep “${text}”`);
}
