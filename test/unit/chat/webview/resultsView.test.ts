import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { answer, choice } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { ResultsView } = await import('../../../../src/chat/webview/resultsView.ts');
leavePage();

describe('the results of a playground', () => {
  before(usePage);
  after(leavePage);

  const nearestOf = (element: ReturnType<typeof of>) =>
    element.all().filter(({ tag, textContent }) => tag === 'button' && textContent === 'Nearest');

  const buttonOf = (element: ReturnType<typeof of>, name: string) =>
    element.all().find(({ tag, textContent }) => tag === 'button' && textContent === name);
  const rows = (element: ReturnType<typeof of>): string[] =>
    element
      .all()
      .filter(({ classes }) => classes.has('result'))
      .map(({ textContent }) => textContent);

  it('are a hundred at first, a thousand more when that is asked for', () => {
    const results = new ResultsView('completion', () => undefined);
    const element = of(results.element);
    const choices = Array.from({ length: 1200 }, (_, index) => choice({ choice: index, text: 'x' }));
    const show = (count: number): void => results.update(answer({ choices: choices.slice(0, count) }), []);
    const rest = (): (string | boolean)[] => {
      const button = element.children.at(-1);
      return [of(button).hidden, of(button).textContent];
    };
    show(100);
    assert.deepEqual([rows(element).length, rest()[0]], [100, true]);
    show(1200);
    assert.equal(rows(element).length, 100);
    assert.equal(rest()[0], false);
    assert.match(String(rest()[1]), /1,?100/);
    of(element.children.at(-1)).does('click');
    assert.equal(rows(element).length, 1100);
    assert.match(String(rest()[1]), /100/);
    of(element.children.at(-1)).does('click');
    assert.deepEqual([rows(element).length, rest()[0]], [1200, true]);
  });

  it('are sorted by what is nearest to one, and back again, and copied as vectors', () => {
    const copied: string[] = [];
    const results = new ResultsView('embedding', (text) => copied.push(text));
    const element = of(results.element);
    const texts = ['[1,0,0,0]', '[0,1,0,0]', '[3,1,0,0]', '[0,0,0,0]', '[-2,0,0,0]'];
    results.update(answer({ status: 'done', choices: texts.map((text, index) => choice({ choice: index, text })) }), [
      'east',
      'north',
      'near east',
      'nowhere',
      'west',
    ]);
    assert.equal(element.find('result-list').getAttribute('aria-label'), 'Vectors');
    const order = (): string[] =>
      element.find('result-list').children.map((row) => of(row).find('result-input').textContent);
    const notes = (): string[] =>
      element.find('result-list').children.map((row) => of(row).find('result-note').textContent);
    const vectorsShown = element.all().filter(({ classes }) => classes.has('vector'));
    assert.match(vectorsShown[2]?.textContent ?? '', /^\[3\.000, 1\.000, 0\.000, …\] .*4.*3\.162/);
    nearestOf(element)[0]?.does('click');
    assert.deepEqual(order(), ['east', 'near east', 'north', 'nowhere', 'west']);
    assert.deepEqual(
      notes().map((note) => /-?[\d.]+/.exec(note)?.[0]),
      ['1.000', '0.949', '0.000', '0.000', '-1.000'],
    );
    const pressed = (): (string | null)[] => nearestOf(element).map((button) => button.getAttribute('aria-pressed'));
    assert.deepEqual(pressed(), ['true', 'false', 'false', 'false', 'false']);
    assert.match(element.find('results-head').textContent, /east/);
    nearestOf(element)[0]?.does('click');
    assert.deepEqual(
      [order(), notes()],
      [
        ['east', 'north', 'near east', 'nowhere', 'west'],
        ['', '', '', '', ''],
      ],
    );
    assert.deepEqual(pressed(), ['false', 'false', 'false', 'false', 'false']);
    buttonOf(element, 'Copy Vectors as JSON')?.does('click');
    assert.deepEqual(copied, [`[${texts.join(',\n')}]`]);
    const short = new ResultsView('embedding', () => undefined);
    short.update(answer({ status: 'done', choices: [choice({ text: '[1,0,0]' })] }), ['a']);
    assert.match(of(short.element).find('vector').textContent, /^\[1\.000, 0\.000, 0\.000\] /);
  });
});
