/** The page that the editor shows for the extension: the README, with what works on that page only. */

/** From this heading on the README speaks to those who have the repository. */
const ofRepository = '\n## In this repository\n';
/** A picture on a line of its own. */
const picture = /^!\[[^\]]*\]\((?!https:)[^)\s]+\)\n\n?/gm;

/** The editor lists the settings itself, beside the page, with all that is to be said of them. */
const settings = /(\n## Settings\n\n)[^]*?(?=\n## )/;

/**
 * The editor resolves no address of the page against the package, and takes every address from a picture that is not https: pictures of the
 * repository are left out, and so is what leads to its files.
 * Throws if something would be broken on the page.
 */
export function extensionPage(readme: string): string {
  const text = readme
    .split(ofRepository, 1)
    .join('')
    .replace(picture, '')
    .replace(settings, '$1They are in the tab **Features** of this page.\n')
    .trimEnd();
  const broken = [...text.matchAll(/\]\(([^)]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:https:\/\/|#)/.test(target));
  if (broken.length > 0)
    throw new Error(
      `On the extension's page these would lead nowhere: ${broken.join(', ')}. Move them below “In this repository”, or give an https address.`,
    );
  return `${text}\n`;
}
