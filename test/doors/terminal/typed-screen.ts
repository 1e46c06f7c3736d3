// A home with a scripted model, and Atrium over it on a real terminal, for the tests of a file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { newHome } from '../../new-home.ts'
import { until } from '../../until.ts'
import { launcher, needsTmux, type Screen, startTmux, type Tmux } from './tmux.ts'

const script = {
  replies: [
    { when: 'read this', text: 'It was read.' },
    { when: 'slow', text: Array.from({ length: 3_000 }, (_, at) => `word${at} `), chunkDelayMs: 100 },
    { when: 'list', text: Array.from({ length: 60 }, (_, at) => `- row ${at}`).join('\n') },
    { when: 'sum', reasoning: 'Six times seven.', calls: [{ name: 'calculate', args: { expression: '6*7' } }] },
    { afterTool: 'calculate', text: 'The sum is done.' },
    { when: 'write', calls: [{ name: 'workspace_write', args: { path: 'notes/a.txt', content: 'hello\nworld\n' } }] },
    { afterTool: 'workspace_write', text: 'After the tool: {{result}}' },
    { when: 'hostile', text: ['a\u001b]52;c;aGk=\u0007b', '\u001b[2J\u202Edone'] },
    { text: 'You said <{{input}}>', times: 1_000 },
  ],
}

export function useTerminal() {
  const options = needsTmux()
  const home = newHome()
  let tmux: Tmux | undefined
  const env = {
    ATRIUM_HOME: home.path,
    GATEWAY_PORT: '0',
    ATRIUM_SHELL: 'true',
    LLM_PROVIDER: 'scripted',
    LLM_SCRIPT: join(home.path, 'script.json'),
  }
  before(() => {
    if (options.skip !== undefined) return
    writeFileSync(env.LLM_SCRIPT, JSON.stringify(script))
    tmux = startTmux()
  })
  after(() => {
    tmux?.end()
    home.remove()
  })
  const words = Object.entries(env).map(([name, value]) => `${name}='${value}'`)
  return {
    /** For each test: skipped where there is no tmux. */
    options,
    home: home.path,
    /** What to type into a shell to start Atrium with these flags. */
    commandLine: (flags: string): string => `${words.join(' ')} '${launcher}' ${flags}`,
    open: async (): Promise<Screen> => {
      if (!tmux) throw new Error('tmux is not running')
      return tmux.open({ env })
    },
  }
}

/** Allows what the open approval asks. It takes no answer in its first moment: the arrow is pressed until it chooses, and goes no further. */
export async function allowOnce(screen: Screen): Promise<void> {
  await until(async () => {
    if (/\[7m\[ Allow once \]/.test(await screen.styled())) return true
    await screen.keys('Left')
    return false
  })
  await screen.keys('Enter')
}
