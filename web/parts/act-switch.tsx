// A switch for an asynchronous change: busy while that is on its way, with a notice if it fails.
import type { ComponentProps } from 'preact'
import { useAct } from './act.ts'
import { Switch } from './field.tsx'

type Props = Pick<ComponentProps<typeof Switch>, 'name' | 'on'> & {
  readonly act: (on: boolean) => Promise<void>
  /** Begins the notice. */
  readonly failed: string
}

export function ActSwitch({ name, on, act, failed }: Props) {
  const { busy, run } = useAct()
  return <Switch name={name} on={on} busy={busy.value} onChange={(next) => void run(() => act(next), failed)} />
}
