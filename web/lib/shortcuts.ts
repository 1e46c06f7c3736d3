// The keys of the whole page: which key press asks for what.

export type Shortcut = 'search' | 'palette' | 'shortcuts' | 'find' | 'stop'

export type Press = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  /** Something else has used the key. */
  readonly defaultPrevented: boolean
}

/** Where a key was pressed. */
export type Place = {
  /** In a field where text is written. */
  readonly writes: boolean
  /** Where Esc closes something: a dialog, a menu, a field that is edited in place. */
  readonly closes: boolean
  /** In the search of the sidebar, or in a dialog that covers it. */
  readonly searches: boolean
  /** The page finds words itself: not all of the thread is in the page for the browser's search. */
  readonly finds: boolean
}

export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? '')

/** The shortcut of a key press. Keys that write stay with the field they are pressed in. */
export function shortcutOf(
  press: Press,
  { writes, closes, searches, finds }: Place,
  mac = isMac,
): Shortcut | undefined {
  if (press.defaultPrevented || press.altKey) return undefined
  if (mac ? press.metaKey : press.ctrlKey) {
    // Caps Lock makes a letter large too.
    const key = press.shiftKey ? press.key : press.key.toLowerCase()
    if (key === 'k') return searches ? 'palette' : 'search'
    if (key === 'f' && finds) return 'find'
    return key === '/' ? 'shortcuts' : undefined
  }
  if (press.ctrlKey || press.metaKey) return undefined
  if (press.key === '?' && !writes) return 'shortcuts'
  return press.key === 'Escape' && !closes ? 'stop' : undefined
}
