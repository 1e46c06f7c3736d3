// What failed without a connection is done again once it is back.
import { useEffect, useRef } from 'preact/hooks'
import { reconnections } from '../store/link.ts'

/** Calls `act` each time the connection comes back while the component is shown. */
export function useReconnected(act: () => void): void {
  const count = reconnections.value
  const known = useRef(count)
  useEffect(() => {
    if (count !== known.current) act()
    known.current = count
  }, [count])
}
