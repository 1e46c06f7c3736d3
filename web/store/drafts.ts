// What was written and not yet sent, by thread; it outlives the page and the session.
const prefix = 'atrium.draft.'

/** `new` is the draft of a thread that does not exist yet. */
export function readDraft(thread: string): string {
  try {
    return localStorage.getItem(prefix + thread) ?? ''
  } catch {
    return ''
  }
}

export function keepDraft(thread: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(prefix + thread)
    else localStorage.setItem(prefix + thread, text)
  } catch {
    // A browser that keeps nothing for us loses the draft with its page.
  }
}

export function hasDraft(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(prefix))
  } catch {
    return false
  }
}
