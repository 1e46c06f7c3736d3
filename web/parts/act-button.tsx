// A button for an asynchronous action: busy while that runs, with a notice if it fails.
import type { ComponentProps } from 'preact'
import { useAct } from './act.ts'
import { Button } from './button.tsx'

type Props = Omit<ComponentProps<typeof Button>, 'busy' | 'onClick' | 'type'> & {
  readonly act: () => Promise<void>
  /** Begins the notice. */
  readonly failed: string
}

export function ActButton({ act, failed, ...rest }: Props) {
  const { busy, run } = useAct()
  return <Button {...rest} busy={busy.value} onClick={() => void run(act, failed)} />
}
