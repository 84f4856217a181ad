/** The page that the editor shows for the extension: the README, with what works on that page only. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

/** From this heading on the README speaks to those who have the repository. */
const ofRepository = '\n## In this repository\n';

/**
 * The editor resolves no address against the package, and loads no picture from it: pictures go into the text, and what leads
 * to files of the repository is left out. Throws where something would be broken on the page.
 */
export function extensionPage(readme: string, folder = root): string {
  const text = `${readme.split(ofRepository, 1).join('').trimEnd()}\n`;
  const page = text.replace(/(!\[[^\]]*\])\(([^)\s]+\.(webp|png))\)/g, (_, alt: string, file: string, type: string) => {
    const bytes = fs.readFileSync(path.join(folder, file));
    return `${alt}(data:image/${type};base64,${bytes.toString('base64')})`;
  });
  const broken = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^(?:https:\/\/|data:image\/|#)/.test(target));
  if (broken.length > 0) throw new Error(`On the extension's page these would lead nowhere: ${broken.join(', ')}. Move them below “In this repository”, or give an https address.`);
  return page;
}
