// The message editor. Pasted text stays one message and keeps its tabs; earlier messages can be recalled.
import { Editor, matchesKey, type TUI } from '@earendil-works/pi-tui'
import type { Theme } from './theme.ts'

const maxRecalled = 200
/** The editor replaces tabs by spaces, so tabs pass through it as this character. */
const tabSign = '␉'
const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'
/** A longer text is inserted as a paste: the editor shows a placeholder for it, and typing stays fast. */
const maxTypedChars = 1_000
/** So does a text that grew longer than this: drawing it takes time with each key. A terminal may give a paste key by key. */
const maxShownChars = 20_000

export type Composer = {
  render(width: number, options: { focused: boolean; hint: string }): string[]
  /** Handles a key or a paste. */
  press(data: string): void
  /** True when there is no line above (-1) or below (1) the cursor; the key then scrolls the transcript. */
  atEdge(direction: -1 | 1): boolean
  readonly empty: boolean
  text(): string
  /** The text as it is shown, with a placeholder for each paste. */
  shown(): string
  /** The line of the cursor, up to it. */
  beforeCursor(): string
  insert(text: string): void
  set(text: string): void
  /** Returns the text and clears the composer, to send it. */
  take(): string
  /** True when a backslash before the cursor makes Enter a new line. Removes the backslash. */
  continues(): boolean
  newLine(): void
  /** Recalls an earlier (-1) or later (1) message. */
  recall(direction: -1 | 1): void
}

/** The editor, with its counts of hidden lines stored instead of drawn. */
class Lines extends Editor {
  above = 0
  below = 0

  protected override renderTopBorder(_width: number, hidden: number): string {
    this.above = hidden
    return ''
  }

  protected override renderBottomBorder(_width: number, hidden: number): string {
    this.below = hidden
    return ''
  }
}

export function createComposer(tui: TUI, theme: Theme): Composer {
  const plain = (text: string): string => text
  const list = { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain }
  const editor = new Lines(tui, { borderColor: plain, selectList: list })
  let width = 80
  const earlier: string[] = []
  let at = 0
  let draft = ''

  /** The visible lines, without the borders. */
  function lines(): string[] {
    return editor.render(width).slice(1, -1)
  }

  function beforeCursor(): string {
    const { line, col } = editor.getCursor()
    return (editor.getLines()[line] ?? '').slice(0, col)
  }

  const read = (): string => editor.getExpandedText().replaceAll(tabSign, '\t')
  function write(text: string): void {
    const kept = text.replaceAll('\t', tabSign)
    editor.setText(kept.length > maxTypedChars ? '' : kept)
    if (kept.length > maxTypedChars) editor.handleInput(`${pasteStart}${kept}${pasteEnd}`)
  }

  return {
    render(columns, { focused, hint }) {
      width = Math.max(4, columns - 3)
      editor.focused = focused
      const bar = focused ? theme.act('▏') : theme.dim('▏')
      if (editor.getText() === '') {
        const cursor = focused ? (lines()[0] ?? '').trimEnd() : ''
        const short = hint.length > columns - 5 ? (hint.split(';')[0] ?? '') : hint
        return [` ${bar}${cursor}${theme.dim(short.slice(0, Math.max(0, columns - 5)))}`]
      }
      const shown = focused
        ? lines()
        : lines().map((line) => line.replaceAll('\u001b[7m', '').replaceAll('\u001b[0m', ''))
      const note = (text: string): string[] => [theme.dim(`   ${text}`)]
      return [
        ...(editor.above > 0 ? note(`↑ ${editor.above} more`) : []),
        ...shown.map((line) => ` ${bar}${line.trimEnd()}`),
        ...(editor.below > 0 ? note(`↓ ${editor.below} more`) : []),
      ]
    },
    press(data) {
      const text = data.startsWith(pasteStart) ? data.replaceAll('\t', tabSign) : data
      // In the editor these keys would send or complete.
      if (matchesKey(data, 'enter') || matchesKey(data, 'tab')) return
      editor.handleInput(text)
      if (editor.getText().length > maxShownChars) write(read())
    },
    atEdge(direction) {
      if (editor.getText() === '') return true
      editor.focused = true
      const shown = lines()
      const row = shown.findIndex((line) => line.includes('\u001b[7m'))
      return direction < 0 ? editor.above === 0 && row <= 0 : editor.below === 0 && row === shown.length - 1
    },
    get empty() {
      return editor.getText() === ''
    },
    text: read,
    shown: () => editor.getText(),
    beforeCursor,
    insert: (text) => editor.insertTextAtCursor(text),
    set: write,
    take() {
      const text = read()
      editor.setText('')
      if (text !== earlier.at(-1)) earlier.push(text)
      if (earlier.length > maxRecalled) earlier.shift()
      at = earlier.length
      draft = ''
      return text
    },
    continues() {
      if (!beforeCursor().endsWith('\\')) return false
      editor.handleInput('\u007f')
      return true
    },
    newLine: () => editor.insertTextAtCursor('\n'),
    recall(direction) {
      const next = Math.max(0, Math.min(earlier.length, at + direction))
      if (next === at) return
      if (at === earlier.length) draft = read()
      at = next
      write(at === earlier.length ? draft : (earlier[at] ?? ''))
    },
  }
}
