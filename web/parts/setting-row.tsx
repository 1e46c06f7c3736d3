// A row of the settings: what it is about, and its control at the right.
import type { ComponentChildren } from 'preact'
import { FieldFault } from './field.tsx'

type Props = {
  readonly title: string
  readonly what: ComponentChildren
  readonly fault?: string | undefined
  /** The control. */
  readonly children: ComponentChildren
}

export function SettingRow({ title, what, fault, children }: Props) {
  return (
    <div class="setting-row">
      <div>
        <strong>{title}</strong>
        <p>{what}</p>
        {fault !== undefined && <FieldFault words={fault} />}
      </div>
      {children}
    </div>
  )
}
