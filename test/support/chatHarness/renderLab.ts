/** Runs in a browser: an answer drawn once a frame, by our view and by simpler means. Bundled as the global `lab`. */
import MarkdownIt from 'markdown-it';
import { MarkdownView } from '../../../src/chat/webview/markdown/markdownView.ts';

const nothing = () => undefined;
const noActions = { copy: nothing, insert: nothing, newFile: nothing, apply: nothing };
type Draw = (text: string, isFinished: boolean) => number;

function drawerFor(name: string): Draw {
  const target = document.createElement('div');
  document.body.replaceChildren(target);
  if (name === 'view') {
    const view = new MarkdownView(noActions);
    target.append(view.element);
    return (text, isFinished) => view.update(text, isFinished);
  }
  if (name === 'whole document') {
    const markdown = new MarkdownIt({ html: false, linkify: true });
    return (text) => {
      target.innerHTML = markdown.render(text);
      return 0;
    };
  }
  // The floor: plain text, a block for each paragraph.
  let length = 0;
  return (text) => {
    for (const [index, part] of text.slice(length).split('\n\n').entries()) {
      if (index > 0 || !target.lastElementChild) target.append(document.createElement('p'));
      target.lastElementChild?.append(part);
    }
    length = text.length;
    return 0;
  };
}

/** Draws `text` so many characters further in each frame; resolves when all of it is on screen. */
export async function stream(name: string, text: string, charactersPerFrame: number): Promise<void> {
  const draw = drawerFor(name);
  for (let length = charactersPerFrame; length < text.length; length += charactersPerFrame) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    draw(text.slice(0, length), false);
    window.scrollTo(0, document.body.scrollHeight);
  }
  while (draw(text, true) > 0) await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestAnimationFrame(resolve));
}
