// Copies a text to the clipboard.

/** A page over plain HTTP has no `navigator.clipboard`: it uses `execCommand`. Throws where neither works. */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard) return clipboard.writeText(text)
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.value = text
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!done) throw new Error('the browser refused to copy')
}
