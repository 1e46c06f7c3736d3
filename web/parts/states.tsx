// Shows loaded data: skeleton, fault, empty, data.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Readable } from '../store/loaded.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Note } from './note.tsx'
import { useReconnected } from './reconnected.ts'
import './states.css'

/** An earlier skeleton would only flash. */
const skeletonAfterMs = 300

/** Grey lines in the shape of the content, after `skeletonAfterMs`. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), skeletonAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return null
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class={`bone-row n${at % 4}`}>
          <span class="bone square" />
          <span class="bone text" />
          <span class="bone end" />
        </div>
      ))}
    </div>
  )
}

type EmptyProps = {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

/** An empty place: says what would be here, with one action that leads to it. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** The same in a card, for a part of a page. */
export function EmptyCard(props: EmptyProps) {
  return (
    <div class="card">
      <Empty {...props} />
    </div>
  )
}

type WhenProps<T> = {
  readonly of: Readable<T>
  /** Subject of the fault's title: "The jobs". */
  readonly what: string
  readonly rows?: number
  readonly children: (data: T) => ComponentChildren
}

/** Shows data once it is loaded. After a failed reload, the old data stays below the fault until the connection is back. */
export function When<T>({ of, what, rows = 5, children }: WhenProps<T>) {
  const data = of.data.value
  const fault = of.fault.value
  useReconnected(() => {
    if (fault !== undefined) void of.load()
  })
  return (
    <>
      {fault !== undefined && (
        <Note
          kind="clay"
          title={`${what} could not be read`}
          actions={
            <Button size="small" icon="retry" busy={of.loading.value} onClick={() => void of.load()}>
              Try again
            </Button>
          }
        >
          {fault} {data === undefined ? 'Nothing is lost.' : 'What you see is from before.'}
        </Note>
      )}
      {data === undefined ? fault === undefined && <Skeleton rows={rows} /> : children(data)}
    </>
  )
}
