import { setHidden } from '../../shared/webview/dom.ts';

/** How near the end counts as the end, in pixels: zoomed pages round. */
const nearEnd = 4;

/**
 * Follows the end of a growing list until the reader goes up. Any input that goes up lets go at once; only the
 * end itself, reached by the reader, or `jump` takes hold again.
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
      // The browser has scrolled what gets the focus into sight by now, and there it has to stay.
      if (list.scrollTop < this.#lastTop - 1 && this.#distanceToEnd() > nearEnd) this.#unpin();
    });
    list.addEventListener('pointerdown', (event) => {
      this.#isDragging = true;
      // The middle button scrolls on after it is up again, on Windows.
      if (event.button === 1) this.#unpin();
    });
    list.addEventListener('touchmove', () => (this.#isDragging = true), { passive: true });
    window.addEventListener('pointerup', () => (this.#isDragging = false));
    list.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    jumpButton.addEventListener('click', () => this.jump());
  }

  /** The reader goes elsewhere: the end is followed no longer. */
  release(): void {
    this.#unpin();
  }

  /** There is no end to follow: what is shown begins at its top. */
  set isIdle(isIdle: boolean) {
    if (isIdle && !this.#isIdle) {
      this.#isPinned = true;
      this.#list.scrollTop = 0;
    }
    this.#isIdle = isIdle;
  }

  /** To be called after everything that may have changed the height. */
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
    // Content that shrank also moves the list up; only the reader's own hand lets go.
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
