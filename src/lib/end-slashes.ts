// Addresses are kept without slashes at their end: a path is joined to them.

/** Without a pattern: `\/+$` tries each slash of a run that does not end the text. */
export function withoutEndSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
