// Validation of a document's path and content.
import { AppError, wrongField } from '#core/errors.ts'
import { byteLength, charCount } from '#core/json.ts'
import { maxDocumentPathChars } from '#core/page-limits.ts'

export const maxContentBytes = 1024 * 1024

/** Returns the path. Throws invalid_input when it cannot be the path of a document. */
export function checkPath(path: string): string {
  const problem = problemOfPath(path)
  if (problem === undefined) return path
  throw wrongField('path', `${problem}; an example: notes/today.md`)
}

/** Returns the size in bytes. Throws invalid_input or too_large when the text cannot be the content of a document. */
export function checkContent(content: string): number {
  if (content.includes('\0')) {
    throw wrongField('content', 'has a NUL character: a document is text')
  }
  if (!content.isWellFormed()) {
    throw new AppError('invalid_input', 'content has half a character (a lone surrogate): send whole ones', {
      param: 'content',
    })
  }
  const bytes = byteLength(content)
  if (bytes > maxContentBytes) {
    const message = `content has ${bytes} bytes, at most ${maxContentBytes} are accepted: split it into several documents`
    throw new AppError('too_large', message, { param: 'content' })
  }
  return bytes
}

/** The path prefix of a folder; empty for the root. Throws invalid_input when it cannot be a folder. */
export function folderPrefix(folder: string): string {
  const bare = folder.replace(/\/$/, '')
  if (bare === '' || bare === '.') return ''
  const problem = problemOfPath(bare)
  if (problem === undefined) return `${bare}/`
  throw wrongField('folder', `${problem}; an example: notes`)
}

/** The fault of a path, as the end of a sentence; undefined when it is valid. */
export function problemOfPath(path: string): string | undefined {
  const length = charCount(path)
  if (length < 1 || length > maxDocumentPathChars) return `must have 1 to ${maxDocumentPathChars} characters`
  if (/\p{Cc}/u.test(path)) return 'must not have control characters'
  if (!path.isWellFormed()) return 'must not have half a character (a lone surrogate)'
  if (path.startsWith('/')) return 'must be relative, without a slash at its beginning'
  const names = path.split('/')
  if (names.includes('')) return 'must not have an empty name between slashes or at its end'
  if (names.some((name) => name === '..' || name === '.')) return 'must not have . or .. as a name'
  return undefined
}
