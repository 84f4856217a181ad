let place: HTMLTextAreaElement | undefined;

/**
 * The characters of an HTML entity, as the browser knows them: a table of all of them would be a tenth of the page. This stands in for
 * the package that markdown-it asks. An entity that the browser knows only the beginning of is left as it is.
 */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&(?:#\d{1,7}|#[Xx][\dA-Fa-f]{1,6}|[A-Za-z][\dA-Za-z]{1,31});/g, (entity) => {
    place ??= document.createElement('textarea');
    // Nothing but an entity is read here, and a field's text is never markup.
    place.innerHTML = entity;
    const { value } = place;
    return value.endsWith(';') && entity !== '&semi;' ? entity : value;
  });
}
