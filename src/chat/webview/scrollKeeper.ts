import { setHidden } from '../../shared/webview/dom.ts';

/** Distance to the end that counts as the end, in pixels, since zoomed pages round. */
const nearEnd = 4;
/** Distances of chat.css in pixels: between messages, above and below all of them, and around a pinned question. */
const [messageGap, paddingAbove, paddingBelow, questionPadding] = [16, 12, 20, 8];
/** Maximum share of the list that a pinned question covers. */
const maxPinnedShare = 1 / 3;

/**
 * Scrolls the list of messages. A question that was just sent stands at the top while its answer grows below. A reader who scrolls stays
 * there; one who scrolls to the end, or uses `jump`, follows the end until the next upward input.
 */
export class ScrollKeeper {
  readonly #list: HTMLElement;
  readonly #turns: HTMLElement;
  readonly #jumpButton: HTMLElement;
  /** What `keep` keeps in sight: the last question, the end, or what the reader has chosen. */
  #place: 'question' | 'end' | 'reader' = 'question';
  /** Whether there is room below a short answer, so that its question can stand at the top. */
  #hasRoom = false;
  #lastTop = 0;
  #isDragging = false;
  #isIdle = false;

  constructor(list: HTMLElement, turns: HTMLElement, jumpButton: HTMLElement) {
    [this.#list, this.#turns, this.#jumpButton] = [list, turns, jumpButton];
    list.addEventListener(
      'wheel',
      (event) => {
        if (event.deltaY < 0) this.#unpin();
      },
      { passive: true },
    );
    list.addEventListener('keydown', (event) => {
      if (['ArrowUp', 'PageUp', 'Home'].includes(event.key)) this.#unpin();
    });
    list.addEventListener('focusin', () => {
      // The browser has scrolled the focused element into view, where it must stay.
      if (list.scrollTop < this.#lastTop - 1 && this.#distanceToEnd() > nearEnd) this.#unpin();
    });
    list.addEventListener('pointerdown', (event) => {
      this.#isDragging = true;
      // On Windows, the middle button keeps scrolling after it is released.
      if (event.button === 1) this.#unpin();
    });
    list.addEventListener('touchmove', () => (this.#isDragging = true), { passive: true });
    window.addEventListener('pointerup', () => (this.#isDragging = false));
    list.addEventListener('scroll', () => this.#onScroll(), { passive: true });
  }

  /** Keeps the position because the reader goes elsewhere. */
  release(): void {
    this.#unpin();
  }

  /** Sets whether there is no conversation and the content is shown from its top. */
  set isIdle(isIdle: boolean) {
    if (isIdle && !this.#isIdle) {
      this.#place = 'question';
      this.#list.scrollTop = 0;
    }
    this.#isIdle = isIdle;
  }

  /** Updates the position; must be called after every possible change of the height. */
  keep(): void {
    const top = this.#keepQuestion();
    if (this.#place !== 'reader' && !this.#isIdle) {
      this.#list.scrollTop = this.#place === 'end' ? this.#list.scrollHeight : top;
      this.#lastTop = this.#list.scrollTop;
    }
    this.#showButton();
  }

  /** Follows the end. */
  jump(): void {
    this.#place = 'end';
    this.keep();
  }

  /**
   * Shows the last question and the start of its answer.
   * @param isSent whether the question stands at the top, however short the answer
   * @param leavesReader whether a reader who has scrolled elsewhere stays there
   */
  toQuestion(isSent: boolean, leavesReader = false): void {
    if (leavesReader && this.#place === 'reader') return;
    this.#place = 'question';
    this.#hasRoom = isSent;
    this.keep();
  }

  /** `isPinned` means that the end is followed. */
  get position(): { top: number; isPinned: boolean } {
    return { top: this.#list.scrollTop, isPinned: this.#place === 'end' };
  }

  restore(position: { top: number; isPinned: boolean }): void {
    this.#place = position.isPinned ? 'end' : 'reader';
    if (!position.isPinned) this.#list.scrollTop = position.top;
    this.keep();
  }

  /** Pins the last question if it is short, and makes room below its answer. @returns the scroll position that shows the question */
  #keepQuestion(): number {
    const shown = [...this.#turns.children].filter((each) => each.clientHeight > 0);
    const at = shown.findLastIndex((each) => each.classList.contains('user'));
    const question = shown[at];
    const view = this.#list.clientHeight;
    const height = question?.firstElementChild?.clientHeight ?? 0;
    const isEdited = Boolean(question?.querySelector('.editor'));
    const isShort = height <= view * maxPinnedShare && !isEdited;
    // The editor takes the pinned question back to its own place.
    if (isEdited && question?.classList.contains('pinned')) this.#place = 'question';
    for (const each of shown) each.classList.toggle('pinned', each === question && isShort);
    this.#list.style.scrollPaddingTop = question && isShort ? `${height + 2 * questionPadding}px` : '';
    // A pinned question has left its own place, which is below the message before it.
    const before = shown[at - 1]?.getBoundingClientRect().bottom;
    const start = before === undefined ? 0 : before + messageGap - this.#turns.getBoundingClientRect().top;
    // Of a long question, the end stays in sight.
    const hidden = isShort ? 0 : Math.max(0, height - view * maxPinnedShare);
    const top = start + paddingAbove - questionPadding + hidden;
    const room = Math.ceil(top + view - paddingAbove - paddingBelow);
    this.#turns.style.minHeight = this.#hasRoom && question ? `${room}px` : '';
    return top;
  }

  #onScroll(): void {
    const { scrollTop } = this.#list;
    // Content that shrinks also moves the list up; only the reader's own scrolling stops following.
    if (scrollTop < this.#lastTop - 1 && this.#isDragging) this.#unpin();
    else if (this.#distanceToEnd() <= nearEnd && scrollTop > this.#lastTop) this.#place = 'end';
    else if (scrollTop > this.#lastTop + 1 && this.#place === 'question') this.#place = 'reader';
    this.#lastTop = scrollTop;
    this.#showButton();
  }

  #unpin(): void {
    if (this.#list.scrollHeight <= this.#list.clientHeight) return;
    this.#place = 'reader';
    this.#showButton();
  }

  #showButton(): void {
    setHidden(this.#jumpButton, this.#isIdle || this.#place === 'end' || this.#distanceToEnd() <= nearEnd);
  }

  #distanceToEnd(): number {
    return this.#list.scrollHeight - this.#list.clientHeight - this.#list.scrollTop;
  }
}
