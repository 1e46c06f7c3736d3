// The actions of the page's keyboard shortcuts. Loaded with the first one.
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { faultText } from './api/client.ts'
import type { Shortcut } from './lib/shortcuts.ts'
import { focusFirst } from './parts/focus.ts'
import { Palette } from './parts/palette.tsx'
import { Shortcuts } from './parts/shortcuts.tsx'
import { route } from './router.ts'
import { openConversation, runningTurn } from './store/hub.ts'
import { stopJob } from './store/jobs.ts'
import { notify } from './store/notices.ts'
import { sessionState } from './store/session.ts'
import { findOpen } from './store/shown-message.ts'

const open = signal<'palette' | 'shortcuts' | undefined>(undefined)
let place: HTMLElement | undefined

// A page that is left takes along what covers it.
effect(() => {
  void route.value
  open.value = undefined
})

/** Does what a shortcut asks for. */
export function act(shortcut: Exclude<Shortcut, 'search'>): void {
  if (sessionState.peek().type !== 'in') return
  if (shortcut === 'stop') return stop()
  if (shortcut === 'find') return void find()
  place ??= document.body.appendChild(document.createElement('div'))
  // The other one closes: a dialog over a dialog would lose its opener.
  open.value = open.peek() === shortcut ? undefined : shortcut
  render(<Opened />, place)
}

function Opened() {
  const close = (): void => {
    open.value = undefined
  }
  if (open.value === 'palette') return <Palette onClose={close} onShortcuts={() => (open.value = 'shortcuts')} />
  return open.value === 'shortcuts' ? <Shortcuts onClose={close} /> : null
}

/** Opens the bar once its part is loaded. Chromium keeps a failure until the page is loaded again. */
async function find(): Promise<void> {
  const thread = openConversation.peek()?.id
  try {
    await import('./parts/find.tsx')
  } catch {
    return notify('The search in this thread could not be loaded. Load the page again.')
  }
  if (openConversation.peek()?.id !== thread) return
  findOpen.value = thread
  focusFirst('.find input')
}

function stop(): void {
  const turn = runningTurn.peek()
  if (turn !== undefined) stopJob(turn).catch((error) => notify(`The turn was not stopped. ${faultText(error)}`))
}
