// The earlier versions of a document: when and by whom each was written, its text, and the way back to it.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { sizeWords } from '#core/words.ts'
import type { Version } from '#doors/web/wire/memory.ts'
import { exactTime, whenText } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/note.tsx'
import { When } from '../parts/states.tsx'
import { now } from '../store/clock.ts'
import { loaded } from '../store/loaded.ts'
import { readHistory, readVersion, restoreVersion } from '../store/memory.ts'
import { notify } from '../store/notices.ts'
import { authorWords } from './author-words.ts'

export function DocumentHistory({ path, onRestored }: { path: string; onRestored: () => void }) {
  const history = useMemo(() => loaded(() => readHistory(path)), [path])
  useEffect(() => void history.load(), [path])
  return (
    <div class="document-history">
      <When of={history} what="The history" rows={3}>
        {(versions) =>
          versions.length === 0 ? (
            <p class="quiet">There are no earlier versions.</p>
          ) : (
            <ul aria-label="Earlier versions">
              {versions.map((version) => (
                <li key={version.revision}>
                  <VersionRow path={path} version={version} onRestored={onRestored} />
                </li>
              ))}
            </ul>
          )
        }
      </When>
    </div>
  )
}

type RowProps = { readonly path: string; readonly version: Version; readonly onRestored: () => void }

function VersionRow({ path, version, onRestored }: RowProps) {
  const { revision, author, bytes, written_at } = version
  const text = useSignal<string | undefined>(undefined)
  const act = useAct()
  const restore = async (): Promise<void> => {
    await restoreVersion(path, revision)
    notify(`${path} is restored`)
    onRestored()
  }
  return (
    <details
      onToggle={(event) => {
        if (event.currentTarget.open && text.peek() === undefined)
          void act.run(async () => void (text.value = await readVersion(path, revision)))
      }}
    >
      <summary title={exactTime(written_at)}>
        {whenText(written_at, now.value)}, by {authorWords[author]}, {sizeWords(bytes)}
      </summary>
      {act.fault.value !== undefined && <Note kind="clay">{act.fault.value}</Note>}
      {text.value !== undefined && (
        <>
          <pre class="document-version">{text.value}</pre>
          <Button size="small" icon="retry" busy={act.busy.value} onClick={() => void act.run(restore)}>
            Restore this version
          </Button>
        </>
      )}
    </details>
  )
}
