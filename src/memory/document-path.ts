// The rules for a document's path and content, the same wherever one is written.
import { AppError } from '#core/errors.ts'
import { byteLength } from '#core/json.ts'

const maxPathChars = 200
export const maxContentBytes = 1024 * 1024

/** Throws invalid_input unless the text can be the path of a document. */
export function checkPath(path: string): string {
  const problem = problemOfPath(path)
  if (problem === undefined) return path
  throw new AppError('invalid_input', `path ${problem}; an example: notes/today.md`, { param: 'path' })
}

/** Throws unless the text can be the content of a document; answers its size. */
export function checkContent(content: string): number {
  if (content.includes('\0')) {
    throw new AppError('invalid_input', 'content has a NUL character: a document is text', { param: 'content' })
  }
  if (!content.isWellFormed()) {
    throw new AppError('invalid_input', 'content has half a character (a lone surrogate): send whole ones', {
      param: 'content',
    })
  }
  const bytes = byteLength(content)
  if (bytes > maxContentBytes) {
    const message = `content has ${bytes} bytes, at most ${maxContentBytes} are taken: cut it into several documents`
    throw new AppError('too_large', message, { param: 'content' })
  }
  return bytes
}

/** A folder as the beginning of paths: empty for all. Throws invalid_input unless documents can be in it. */
export function folderPrefix(folder: string): string {
  const bare = folder.replace(/\/$/, '')
  if (bare === '' || bare === '.') return ''
  const problem = problemOfPath(bare)
  if (problem === undefined) return `${bare}/`
  throw new AppError('invalid_input', `folder ${problem}; an example: notes`, { param: 'folder' })
}

/** What is wrong with a path, in words that follow its name. */
export function problemOfPath(path: string): string | undefined {
  const length = Array.from(path).length
  if (length < 1 || length > maxPathChars) return `must have 1 to ${maxPathChars} characters`
  if (/\p{Cc}/u.test(path)) return 'must not have control characters'
  if (!path.isWellFormed()) return 'must not have half a character (a lone surrogate)'
  if (path.startsWith('/')) return 'must be relative, without a slash at its beginning'
  const names = path.split('/')
  if (names.includes('')) return 'must not have an empty name between slashes or at its end'
  if (names.some((name) => name === '..' || name === '.')) return 'must not have . or .. as a name'
  return undefined
}
