// A hall with only the webhook channel open, as a process of its own that may be killed at any moment.
// Usage: child.ts HOME SCRIPT. Prints its port once it listens.
import { readConfig } from '#config.ts'
import { openWebhook } from '#doors/webhook/door.ts'
import { openHall } from '#hall.ts'
import { silentLog } from '#lib/log.ts'
import { secret } from './house.ts'

const [home = '', script = ''] = process.argv.slice(2)
const env = { ATRIUM_HOME: home, LLM_PROVIDER: 'scripted', LLM_SCRIPT: script }
const hall = await openHall({ configure: (settings) => readConfig(env, settings), log: silentLog })
const { port } = await openWebhook({
  turns: hall.turns,
  limits: hall.store.limits,
  secret,
  host: '127.0.0.1',
  port: 0,
  ratePerMinute: 0,
  trustProxy: false,
  log: silentLog,
})
console.log(port)
