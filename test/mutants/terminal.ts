// Faults of the terminal UI and of the desk it works at.
import type { Mutant } from './mutant.ts'

const screen = ['test/doors/terminal/screen.test.ts']
const blocks = ['test/doors/terminal/blocks.test.ts']
const desk = ['test/doors/local/desk.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'Enter alone answers an approval',
    file: 'src/doors/terminal/dialog.ts',
    from: 'let chosen: number | undefined\n',
    to: 'let chosen: number | undefined = 0\n',
    tests: screen,
  },
  {
    says: 'an approval that opens by itself takes an answer at once',
    file: 'src/doors/terminal/dialog.ts',
    from: 'if (now() < deafUntil) return undefined',
    to: '',
    tests: screen,
  },
  {
    says: 'a call made under taint can be allowed for longer',
    file: 'src/doors/terminal/dialog.ts',
    from: 'if (chosen === 1 && gate.taint !== undefined) {',
    to: "if (chosen === 1 && gate.taint === '') {",
    tests: screen,
  },
  {
    says: 'the end of a long preview is never seen',
    file: 'src/doors/terminal/dialog.ts',
    from: 'from += 1',
    to: 'from += 0',
    tests: screen,
  },
  {
    says: 'an approval shows other arguments than were written',
    file: 'src/doors/terminal/words.ts',
    from: 'if (!values || JSON.stringify(values) !== squeezed)',
    to: 'if (!values)',
    tests: screen,
  },
  {
    says: 'an unknown command is sent',
    file: 'src/doors/terminal/commands.ts',
    from: ": { type: 'unknown', word }",
    to: ": { type: 'message' }",
    tests: screen,
  },
  {
    says: 'a terminal without UTF-8 gets letters it does not have',
    file: 'src/doors/terminal/theme.ts',
    from: 'fit: utf8 ? (line) => line : inAscii',
    to: 'fit: (line) => line',
    tests: screen,
  },
  {
    says: 'NO_COLOR is not heard',
    file: 'src/doors/terminal/theme.ts',
    from: '(colour ? sgr(code, end) : (text) => text)',
    to: 'sgr(code, end)',
    tests: screen,
  },
  {
    says: 'a paragraph is taken for whole in the middle of a code block',
    file: 'src/doors/terminal/drawing.ts',
    from: "line.trim() === '' && fence === undefined &&",
    to: "line.trim() === '' &&",
    tests: screen,
  },
  {
    says: 'sums of money are drawn as formulas',
    file: 'src/doors/terminal/drawing.ts',
    from: 'renderLatex: false',
    to: 'renderLatex: true',
    tests: screen,
  },
  {
    says: 'a turn of an earlier day runs for ever',
    file: 'src/doors/terminal/blocks.ts',
    from: '(seq === knownUpTo && !unfinished.has(turnId))',
    to: 'false',
    tests: blocks,
  },
  {
    says: 'a late piece spoils a reply that is whole',
    file: 'src/doors/terminal/blocks.ts',
    from: 'if (before?.whole) continue',
    to: '',
    tests: blocks,
  },
  {
    says: 'what was said before a reconnect is doubled',
    file: 'src/doors/terminal/blocks.ts',
    from: "(before?.text ?? '').slice(0, offset)",
    to: "(before?.text ?? '')",
    tests: blocks,
  },
  {
    says: 'an item that is told twice is shown twice',
    file: 'src/doors/terminal/blocks.ts',
    from: 'if (entry.seq <= seq) return',
    to: '',
    tests: blocks,
  },
  {
    says: 'a denied call looks failed',
    file: 'src/doors/terminal/blocks.ts',
    from: "state: state === 'denied' ? 'denied' : ",
    to: 'state: ',
    tests: blocks,
  },
  {
    says: 'a call that failed is hidden among those that are done',
    file: 'src/doors/terminal/runs.ts',
    from: "filter(({ state }) => state === 'done')",
    to: "filter(({ state }) => state !== 'running')",
    tests: screen,
  },
  {
    says: 'a row of calls that was unfolded stays folded',
    file: 'src/doors/terminal/transcript.ts',
    from: 'if (!open.delete(id)) open.add(id)',
    to: 'open.delete(id)',
    tests: screen,
  },
  {
    says: 'whoever follows keeps the door from closing',
    file: 'src/doors/local/door.ts',
    from: 'closing.abort()',
    to: '',
    tests: desk,
  },
  {
    says: 'a watch outlives its watcher',
    file: 'src/turns/desk.ts',
    from: "signal.addEventListener('abort', close)",
    to: '',
    tests: desk,
  },
  {
    says: 'what is allowed for longer through the socket is allowed once',
    file: 'src/doors/local/desk.ts',
    from: '...(wish !== undefined && { wish: readWish(wish) }),',
    to: '',
    tests: desk,
  },
]
