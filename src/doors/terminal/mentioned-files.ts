// Files that a message names by `@path`: they go with the message, and its text stays as typed.
import { AppError } from '#core/errors.ts'
import { type Attached, withFile } from './attachment-list.ts'

/** More are not looked for in one message. */
const maxMentions = 20
/** Longer words are no paths. */
const maxPathChars = 1_024

/** The paths after each `@` at the start of a word, as they are written. Blanks in them are escaped, as in a shell. */
export function mentionedPaths(text: string): readonly string[] {
  const paths: string[] = []
  for (const [, path = ''] of text.matchAll(/(?<!\S)@((?:[^\s\\]|\\.)+)/g)) {
    if (path.length <= maxPathChars && !paths.includes(path)) paths.push(path)
    if (paths.length === maxMentions) break
  }
  return paths
}

type Mentioned = {
  readonly files: readonly Attached[]
  /** Named paths without a file, such as the name of a person. They are only text. */
  readonly missing: readonly string[]
}

/** The given files, and those that the text names. Throws for a file that cannot be sent. */
export async function withMentioned(
  text: string,
  given: readonly Attached[],
  readFile: (path: string) => Promise<Attached>,
): Promise<Mentioned> {
  let files = given
  const missing: string[] = []
  for (const path of mentionedPaths(text)) {
    const file = await readNamed(path, readFile)
    if (file) files = withFile(files, file)
    else missing.push(path)
  }
  return { files, missing }
}

async function readNamed(path: string, readFile: (path: string) => Promise<Attached>): Promise<Attached | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (!isMissing(error)) throw error
    // The end of a sentence may stand after a path: `Look at @notes.txt.`
    const bare = path.replace(/[.,;:!?)]+$/, '')
    return bare === path || bare === '' ? undefined : readNamed(bare, readFile)
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof AppError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG'
}
