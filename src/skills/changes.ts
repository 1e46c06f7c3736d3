// The changes of a skill's update, file by file, as unified diffs.
import { createHash } from 'node:crypto'
import type { SkillFile, StoredSkillFile } from '#core/skill.ts'
import { unifiedDiff } from '#lib/unified-diff.ts'
import { decodeUtf8 } from '#lib/utf8.ts'

export type FileChange = {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  /** Empty for a file that is no text. */
  readonly diff: string
  /** True if the diff shows the whole change: a binary file has none, and a long one is cut. */
  readonly whole: boolean
}

/** The changes from the stored files to those of a folder, by path. */
export async function filesChanged(
  before: readonly StoredSkillFile[],
  after: readonly SkillFile[],
  contentOf: (path: string) => Promise<Uint8Array | undefined>,
): Promise<FileChange[]> {
  const stored = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map(({ path, content }) => [path, content]))
  const changes: FileChange[] = []
  for (const path of [...new Set([...stored.keys(), ...now.keys()])].sort()) {
    const [old, content] = [stored.get(path), now.get(path)]
    if (old && content && createHash('sha256').update(content).digest('hex') === old.hash) continue
    const kind = old ? (content ? 'changed' : 'removed') : 'added'
    const texts = [old ? await contentOf(path) : new Uint8Array(), content ?? new Uint8Array()].map(
      (bytes) => bytes && decodeUtf8(bytes),
    )
    const [from, to] = texts
    const isText = from !== undefined && to !== undefined && !`${from}${to}`.includes('\0')
    const diff = isText ? unifiedDiff(path, from, to) : undefined
    changes.push({ path, kind, diff: diff?.text ?? '', whole: diff?.cut === false })
  }
  return changes
}
