import { setHidden } from '../../shared/webview/dom.ts';

/** Distance to the end that counts as the end, in pixels, since zoomed pages round. */
const nearEnd = 4;

/**
 * Follows the end of a growing list until the reader scrolls up. Any upward input stops following at once; only the reader reaching the end
 * or `jump` resumes it.
 */
export class ScrollKeeper {
  readonly #list: HTMLElement;
  readonly #jumpButton: HTMLElement;
  #isPinned = true;
  #lastTop = 0;
  #isDragging = false;
  #isIdle = false;

  constructor(list: HTMLElement, jumpButton: HTMLElement) {
    this.#list = list;
    this.#jumpButton = jumpButton;
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
    jumpButton.addEventListener('click', () => this.jump());
  }

  /** Stops following the end because the reader goes elsewhere. */
  release(): void {
    this.#unpin();
  }

  /** Sets whether there is no end to follow and the content is shown from its top. */
  set isIdle(isIdle: boolean) {
    if (isIdle && !this.#isIdle) {
      this.#isPinned = true;
      this.#list.scrollTop = 0;
    }
    this.#isIdle = isIdle;
  }

  /** Updates the position; must be called after every possible change of the height. */
  keep(): void {
    if (this.#isPinned && !this.#isIdle) this.#toEnd();
    this.#showButton();
  }

  jump(): void {
    this.#isPinned = true;
    this.keep();
  }

  get position(): { top: number; isPinned: boolean } {
    return { top: this.#list.scrollTop, isPinned: this.#isPinned };
  }

  restore(position: { top: number; isPinned: boolean }): void {
    this.#isPinned = position.isPinned;
    if (!position.isPinned) this.#list.scrollTop = position.top;
    this.keep();
  }

  #onScroll(): void {
    const { scrollTop } = this.#list;
    // Content that shrinks also moves the list up; only the reader's own scrolling stops following.
    if (scrollTop < this.#lastTop - 1 && this.#isDragging) this.#unpin();
    else if (this.#distanceToEnd() <= nearEnd && scrollTop > this.#lastTop) this.#isPinned = true;
    this.#lastTop = scrollTop;
    this.#showButton();
  }

  #unpin(): void {
    if (this.#list.scrollHeight <= this.#list.clientHeight) return;
    this.#isPinned = false;
    this.#showButton();
  }

  #toEnd(): void {
    this.#list.scrollTop = this.#list.scrollHeight;
    this.#lastTop = this.#list.scrollTop;
  }

  #showButton(): void {
    setHidden(this.#jumpButton, this.#isIdle || this.#isPinned || this.#distanceToEnd() <= nearEnd);
  }

  #distanceToEnd(): number {
    return this.#list.scrollHeight - this.#list.clientHeight - this.#list.scrollTop;
  }
}
