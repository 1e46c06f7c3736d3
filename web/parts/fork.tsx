// Forks on purpose: the button under a reply, and the line in a fork that names the thread it comes from.
import type { Origin } from '#doors/web/wire/thread.ts'
import type { Conversation } from '../store/conversation.ts'
import { forkBehind } from '../store/variants.ts'
import { useAct } from './act.ts'
import { IconButton } from './button.tsx'
import './variants.css'

export function ForkButton({ conversation, turnKey }: { conversation: Conversation; turnKey: string }) {
  const { busy, run } = useAct()
  const fork = (): void => void run(() => forkBehind(conversation, turnKey), 'The thread was not forked.')
  return <IconButton icon="fork" name="Fork" busy={busy.value} onClick={fork} />
}

export function OriginLine({ origin: { id, title } }: { origin: Origin }) {
  return (
    <p class="label origin">
      Forked from{' '}
      <a class="link" href={`/threads/${id}`}>
        {title || 'Untitled'}
      </a>
    </p>
  )
}
