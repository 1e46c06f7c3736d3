// The effect of every key, by the part of the screen that has the focus.
import { decodeKittyPrintable, matchesKey } from '@earendil-works/pi-tui'
import type { Approvals } from './approvals.ts'
import type { Composer } from './composer.ts'
import { maxEntries } from './conversation.ts'
import type { Focus } from './frame.ts'
import type { Greeting } from './greeting.ts'
import type { List } from './list.ts'
import type { Offers } from './offers.ts'
import type { Submit } from './submit.ts'
import type { Transcript } from './transcript.ts'

const escapeKey = '\u001b'
/** Esc and the first sign of a command, typed so fast that they arrive as one key. Alt with these signs has no meaning. */
const afterEscape: ReadonlySet<string> = new Set(['/', '!', '@'].map((sign) => escapeKey + sign))

/** The box that a command opened. */
export type OpenBox = { list: List | undefined }

export type KeyParts = {
  readonly composer: Composer
  readonly transcript: Transcript
  readonly greeting: Greeting
  readonly approvals: Pick<Approvals, 'dialog' | 'press'>
  readonly offers: Offers
  readonly submit: Submit
  readonly open: OpenBox
  /** True while the greeting replaces the transcript. */
  readonly blank: () => boolean
  /** True while the panel is shown. */
  readonly wide: () => boolean
  readonly pressPanel: (data: string) => void
  /** Esc in the composer. */
  readonly back: () => void
  /** Clears the screen. */
  readonly clear: () => void
  readonly quit: () => void
}

export interface Keys {
  focus: Focus
  press(data: string): void
}

export function createKeys(parts: KeyParts): Keys {
  const { composer, transcript, greeting, approvals, offers, submit, open } = parts
  let focus: Focus = 'composer'
  const shown = (): Pick<Transcript, 'scroll' | 'page'> => (parts.blank() ? greeting : transcript)

  function nextFocus(step: 1 | -1): void {
    const order: Focus[] = [
      'composer',
      ...(approvals.dialog ? ['dialog' as const] : []),
      'transcript',
      ...(parts.wide() ? ['panel' as const] : []),
    ]
    focus = order[(order.indexOf(focus) + step + order.length) % order.length] ?? 'composer'
  }

  /** Tab completes what is typed; with nothing to complete it moves the focus. */
  function tab(): void {
    if (!(focus === 'composer' && submit.complete())) nextFocus(1)
  }

  function escape(): void {
    if (focus !== 'composer') focus = 'composer'
    else if (offers.list.length > 0) offers.hide()
    else parts.back()
  }

  function pressComposer(data: string): void {
    if (isNewLine(data)) return composer.newLine()
    if (matchesKey(data, 'enter')) return submit.enter()
    if (matchesKey(data, 'ctrl+p')) return composer.recall(-1)
    if (matchesKey(data, 'ctrl+n')) return composer.recall(1)
    const arrow = matchesKey(data, 'up') ? -1 : matchesKey(data, 'down') ? 1 : undefined
    if (arrow && offers.list.length > 0) return offers.move(arrow)
    if (arrow && composer.atEdge(arrow)) return shown().scroll(arrow)
    if (matchesKey(data, 'ctrl+d') && composer.empty) return parts.quit()
    composer.press(data)
  }

  function pressTranscript(data: string): void {
    if (matchesKey(data, 'up')) transcript.step(-1)
    else if (matchesKey(data, 'down')) transcript.step(1)
    else if (matchesKey(data, 'home')) transcript.scroll(-maxEntries)
    else if (matchesKey(data, 'end')) transcript.toEnd()
    else if (matchesKey(data, 'enter') || matchesKey(data, 'space')) transcript.toggle()
    // Typed text goes to the composer.
    else if (isText(data)) {
      focus = 'composer'
      composer.press(data)
    }
  }

  function pressFocused(data: string): void {
    if (open.list) {
      const done = open.list.press(data)
      if (done === 'close') open.list = undefined
      if (done !== 'pass') return
    }
    if (focus === 'dialog') approvals.press(data)
    else if (matchesKey(data, 'escape')) escape()
    else if (matchesKey(data, 'pageUp')) shown().page(-1)
    else if (matchesKey(data, 'pageDown')) shown().page(1)
    else if (focus === 'transcript') pressTranscript(data)
    else if (focus === 'panel') parts.pressPanel(data)
    else pressComposer(data)
  }

  return {
    get focus() {
      return focus
    },
    set focus(next) {
      focus = next
    },
    press(data) {
      if (afterEscape.has(data)) {
        this.press(escapeKey)
        return this.press(data.slice(escapeKey.length))
      }
      if (matchesKey(data, 'ctrl+l')) parts.clear()
      else if (matchesKey(data, 'tab')) tab()
      else if (matchesKey(data, 'shift+tab')) nextFocus(-1)
      else pressFocused(data)
      if (focus === 'composer') offers.look(composer.shown(), composer.beforeCursor())
    },
  }
}

/** Shift+Enter in both of its encodings, Alt+Enter, Ctrl+J. */
function isNewLine(data: string): boolean {
  return matchesKey(data, 'shift+enter') || matchesKey(data, 'alt+enter') || matchesKey(data, 'ctrl+j')
}

function isText(data: string): boolean {
  return decodeKittyPrintable(data) !== undefined || /^[^\p{Cc}]/u.test(data) || data.startsWith('\u001b[200~')
}
