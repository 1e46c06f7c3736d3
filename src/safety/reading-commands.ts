// Commands of the shell that only read in the workspace, so that a grant can be for their first word.

/**
 * Programs none of whose options runs another program or writes a file. Not among them, for example: `find` (-exec), `sed`
 * (e, w), `sort` (-o, --compress-program), `uniq` (its second file), `diff` (-l), `tree` (-o), `git` (aliases), `less`.
 */
const readers = new Set('ls cat head tail wc grep cut nl od stat du cmp pwd md5sum sha256sum'.split(' '))

/** Letters of options that follow links in folders, or read paths that a file names or that are part of the option. */
const refusedLetters: Readonly<Record<string, RegExp>> = {
  ls: /[LR]/,
  grep: /[rRdf]/,
  du: /[LX]/,
  md5sum: /c/,
  sha256sum: /c/,
}
/** The same as long options, of all programs. An option may be shortened. */
const refusedOptions = [
  'recursive',
  'dereference',
  'dereference-recursive',
  'directories',
  'file',
  'files0-from',
  'exclude-from',
  'check',
]

/**
 * The first word of a command that only reads the paths that it names, in the workspace; undefined for every other command.
 * A rule on text: whether one of `wordsOf` is a link that leads out is for the tool to find out.
 */
export function readerIn(command: string): string | undefined {
  const [first = '', ...rest] = wordsOf(command) ?? []
  if (!readers.has(first)) return undefined
  return rest.every((word) => (word.startsWith('-') ? isHarmlessOption(first, word) : isInWorkspace(word)))
    ? first
    : undefined
}

/** The words without their quotes; undefined if the shell would do more with the command than split it. */
export function wordsOf(command: string): string[] | undefined {
  if (/[;&|`$<>(){}\\~#!\p{Cc}]/u.test(command)) return undefined
  const words = command.trim().match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  // Only blanks may be left between the words, so no open quote.
  const rest = command.trim().replaceAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g, '')
  const isGlob = words.some((word) => /[*?[]/.test(word.replaceAll(/'[^']*'|"[^"]*"/g, '')))
  return /^ *$/.test(rest) && !isGlob ? words.map((word) => word.replaceAll(/['"]/g, '')) : undefined
}

function isHarmlessOption(program: string, word: string): boolean {
  if (word.includes('/') || word.includes('..')) return false
  if (!word.startsWith('--')) return !refusedLetters[program]?.test(word)
  const [name = ''] = word.slice(2).split('=', 1)
  return !refusedOptions.some((option) => option.startsWith(name))
}

/** Any word may be a path. */
function isInWorkspace(word: string): boolean {
  return !word.startsWith('/') && !word.split('/').includes('..')
}
