// The frame of the signed-in app: skip link, sidebar, main pane with its light line, receipt panel.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { lazy } from '../lazy.tsx'
import { route, threadIdIn } from '../router.ts'
import { waiting } from '../store/gates.ts'
import { runningTurn } from '../store/hub.ts'
import { offlineSecs } from '../store/link.ts'
import { shownReceipt } from '../store/receipts.ts'
import { folded, menuOpen } from '../store/shell.ts'
import { GateAnnouncer } from './announcer.tsx'
import { Notices } from './notice.tsx'
import './shell.css'
import { MenuSheet, Sidebar } from './sidebar.tsx'

const ReceiptPanel = lazy(async () => (await import('./receipt-panel.tsx')).ReceiptPanel)

/** Narrower windows have the panel above the page. */
const narrow = matchMedia('(width < 1100px)')
const overlays = signal(narrow.matches)
narrow.addEventListener('change', () => (overlays.value = narrow.matches))

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = route.value
  const receipt = threadIdIn(path) === undefined ? undefined : shownReceipt.value
  const covered = receipt !== undefined && overlays.value
  const behind = menuOpen.value || covered
  return (
    <div class={folded.value ? 'shell folded' : 'shell'}>
      <a class="skip" href="#main" inert={behind} onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}>
        Skip to the page
      </a>
      <div class="shell-side" inert={covered}>
        <Sidebar />
      </div>
      <main id="main" class="pane" tabIndex={-1} inert={behind}>
        <LightLine />
        {children}
      </main>
      {receipt !== undefined && <ReceiptPanel key={receipt} turnId={receipt} overlays={covered} />}
      {menuOpen.value && <MenuSheet />}
      <GateAnnouncer />
      <Notices />
    </div>
  )
}

/** The state of the open page: plain, a glint (running), sun (waiting for the reader), dashed clay (connection lost). */
function LightLine() {
  const { path } = route.value
  const id = threadIdIn(path)
  const waits = path === '/waiting' ? waiting.value.length > 0 : waiting.value.some(({ thread_id }) => thread_id === id)
  const state = offlineSecs.value !== undefined ? 'lost' : waits ? 'waiting' : runningTurn.value ? 'running' : 'idle'
  return <div class={`light ${state}`} aria-hidden="true" />
}
