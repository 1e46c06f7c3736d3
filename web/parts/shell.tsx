// The frame of the signed-in app: skip link, side, main pane with its light line.
import type { ComponentChildren } from 'preact'
import { goneSecs } from '../store/link.ts'
import { folded, menuOpen } from '../store/shell.ts'
import { Notices } from './notice.tsx'
import './shell.css'
import { MenuSheet, Sidebar } from './sidebar.tsx'

export type Light = 'idle' | 'running' | 'waiting'

type Props = { readonly light?: Light; readonly panel?: ComponentChildren; readonly children: ComponentChildren }

export function Shell({ light = 'idle', panel, children }: Props) {
  const state = goneSecs.value === undefined ? light : 'lost'
  return (
    <div class={folded.value ? 'shell folded' : 'shell'}>
      <a class="skip" href="#main" onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}>
        Skip to the page
      </a>
      <div class="shell-side">
        <Sidebar />
      </div>
      <main id="main" class="pane" tabIndex={-1}>
        <div class={`light ${state}`} aria-hidden="true" />
        {children}
      </main>
      {panel}
      {menuOpen.value && <MenuSheet />}
      <Notices />
    </div>
  )
}
