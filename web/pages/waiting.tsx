// The queue of what waits for the reader, from every door.
import { shortWhen } from '../lib/words.ts'
import { Icon } from '../parts/icon.tsx'
import { doorOf } from '../parts/mark.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, When } from '../parts/states.tsx'
import { now } from '../store/clock.ts'
import { gates, waiting } from '../store/gates.ts'

export function Waiting() {
  return (
    <Page
      title="Waiting for you"
      lead="Requests from every door, oldest first. Nothing here has run. Other threads go on meanwhile."
    >
      <When of={gates} what="The queue">
        {() =>
          waiting.value.length === 0 ? (
            <Empty icon="waiting" title="Nothing waits for you">
              A request appears here when the agent needs your word before it acts.
            </Empty>
          ) : (
            <ul class="card">
              {waiting.value.map((gate) => (
                <li key={gate.id}>
                  <Icon name={doorOf(gate.door).icon} />
                  <a href={`/threads/${gate.thread_id}`}>{gate.prompt}</a>
                  <span>{shortWhen(gate.created_at, now.value)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </When>
    </Page>
  )
}
