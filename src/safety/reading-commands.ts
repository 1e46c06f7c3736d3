// Commands of the shell that only read in the workspace, so that a grant can be for their first word.

/**
 * Programs none of whose options runs another program or writes a file. Not among them, for example: `find` (-exec), `sed`
 * (e, w), `sort` (-o, --compress-program), `uniq` (its second file), `diff` (-l), `tree` (-o), `git` (aliases), `less`.
 */
const readers = new Set('ls cat head tail wc grep cut nl od stat du cmp pwd md5sum sha256sum'.split(' '))

/** The first word of a command that only reads in the workspace; undefined for every other command. */
export function readerIn(command: string): string | undefined {
  const words = wordsOf(command)
  const [first = '', ...rest] = words ?? []
  return readers.has(first) && rest.every(isInWorkspace) ? first : undefined
}

/** The words without their quotes; undefined if the shell would do more with the command than split it and expand globs. */
function wordsOf(command: string): string[] | undefined {
  if (/[;&|`$<>(){}\\~#!\p{Cc}]/u.test(command)) return undefined
  const words = command.trim().match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  // What is left between the words must be blanks: an open quote is none.
  const rest = command.trim().replaceAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g, '')
  return /^ *$/.test(rest) ? words.map((word) => word.replaceAll(/['"]/g, '')) : undefined
}

/** Links are not looked at: this is a rule on text. Any word may be a path, an option may contain one. */
function isInWorkspace(word: string): boolean {
  if (word.startsWith('-')) return !word.includes('/') && !word.includes('..')
  if (word.startsWith('/')) return false
  // A glob that begins with a dot matches `..` in some shells.
  return !word.split('/').some((name) => name === '..' || /^\..*[*?[]/.test(name))
}
