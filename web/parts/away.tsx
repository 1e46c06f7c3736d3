// Shown while the gateway cannot be reached. Retries by itself.
import { useEffect } from 'preact/hooks'
import { findSession } from '../store/session.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { Note } from './note.tsx'
import './away.css'

const retryMs = 3_000

export function Away() {
  const { busy, run } = useAct()
  useEffect(() => {
    const timer = setInterval(() => void findSession(), retryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <main class="away">
      <h1 class="unseen">Atrium</h1>
      <Note
        kind="clay"
        title="Atrium is not running"
        actions={
          <>
            <Button size="small" busy={busy.value} onClick={() => void run(findSession)}>
              Try now
            </Button>
            <span>
              On its machine: <code>atrium doctor</code>
            </span>
          </>
        }
      >
        Nothing you sent is lost. This page tries again every few seconds.
      </Note>
    </main>
  )
}
