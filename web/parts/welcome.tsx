// The empty thread: a greeting and sample questions; with the built-in offline model, what it can do.
import { signal } from '@preact/signals'
import { service } from '../store/service.ts'
import { sessionState } from '../store/session.ts'
import { Icon } from './icon.tsx'
import { Button } from './button.tsx'
import './welcome.css'

const ways = ['What can you do?', 'What time is it in Tokyo?', 'What do you remember about me?']
/** The reader has dismissed the offline model's notice, until the next reload. */
const offlineIsFine = signal(false)

export function Welcome({ onAsk }: { onAsk: (text: string) => void }) {
  if (service.data.value?.llm_backend === 'offline' && !offlineIsFine.value) return <Offline />
  const who = sessionState.value.type === 'in' ? sessionState.value.session.user : ''
  return (
    <div class="welcome">
      <h1>
        {greeting(new Date().getHours())}
        {who && who !== 'operator' ? `, ${who}` : ''}
      </h1>
      <p>Ask, or start from one of these.</p>
      <ul>
        {ways.map((text) => (
          <li key={text}>
            <button type="button" class="way" onClick={() => onAsk(text)}>
              {text}
              <Icon name="right" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Offline() {
  const operator = sessionState.value.type === 'in' && sessionState.value.session.operator
  return (
    <div class="welcome">
      <h1>You are talking to the built-in offline model</h1>
      <p>It needs no key and no network. It can use tools and remember, but it only understands simple requests.</p>
      <div class="welcome-acts">
        {operator && (
          <a class="button primary" href="/settings">
            Connect a model
          </a>
        )}
        <Button kind="quiet" onClick={() => (offlineIsFine.value = true)}>
          Keep it for now
        </Button>
      </div>
      <p class="label">
        In a terminal: <code>atrium onboard</code>
      </p>
    </div>
  )
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) return 'Good evening'
  return hour < 12 ? 'Good morning' : 'Good afternoon'
}
