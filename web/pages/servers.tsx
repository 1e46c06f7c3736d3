// MCP servers on the Tools page: a group for each, what each tool may do, and what a server changed.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { countOn, countWords, offeredWords } from '#core/words.ts'
import type { McpServer, McpTool } from '#doors/web/wire/mcp.ts'
import { useAct } from '../parts/act.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Button } from '../parts/button.tsx'
import { RemoveTool, ToolList, ToolRow } from '../parts/tool-list.tsx'
import { Select } from '../parts/field.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { OpenAgain, openOther } from '../parts/other-window.tsx'
import { Preview } from '../parts/preview.tsx'
import { removeServer, reviewTools, serverAddress, setEffect, signServerIn, tryServer } from '../store/servers.ts'

const maxShownChars = 300

const effects = [
  { value: 'write', label: 'asks' },
  { value: 'read', label: 'runs at once' },
  { value: 'off', label: 'off' },
] as const

const hintWords = {
  read_only: 'it only reads',
  destructive: 'it may destroy',
  idempotent: 'it may be repeated',
  open_world: 'it reaches the outside',
} as const

export function ServerList({ list, shown }: { list: readonly McpServer[]; shown: string | undefined }) {
  return (
    <ToolList name="MCP servers">
      {list.map((server) => (
        <ToolRow
          key={server.name}
          name={server.name}
          address={serverAddress(server.name)}
          words={offeredWords(countOn(server.tools), server.tools.length)}
          shown={server.name === shown}
        >
          <StatePill server={server} />
        </ToolRow>
      ))}
    </ToolList>
  )
}

function StatePill({ server: { status, tools } }: { server: McpServer }) {
  if (tools.some((tool) => tool.status === 'changed')) return <Pill kind="sun">Changed</Pill>
  if (status === 'failed') return <Pill kind="clay">Failed</Pill>
  if (status === 'sign_in') return <Pill kind="sun">Sign in</Pill>
  return status === 'ready' ? <Pill>Running</Pill> : null
}

export function ServerDetail({ server }: { server: McpServer }) {
  const { name, kind, address, everyone, error, status, instructions, tools } = server
  const said = useSignal<string | undefined>(undefined)
  const signing = useAct()
  /** The sign-in page in the other window. */
  const away = useSignal<string | undefined>(undefined)
  const signIn = async (): Promise<void> => {
    away.value = openOther(await signServerIn(name))
  }
  const test = async (): Promise<void> => {
    const trial = await tryServer(name)
    said.value = trial.error ?? trial.output ?? ''
  }
  return (
    <article class="card tool" aria-label={name}>
      <div class="tool-part">
        <header class="tool-head">
          <p class="tool-title">{name}</p>
          <Pill>{kind === 'stdio' ? 'MCP, on this machine' : 'MCP, over HTTP'}</Pill>
          <Pill>{everyone ? 'For everyone' : 'For the operator'}</Pill>
          <span class="tool-acts">
            <ActButton size="small" act={test} failed={`${name} could not be tested.`}>
              Test
            </ActButton>
            <RemoveTool name={name} remove={removeServer}>
              The agent loses its tools at once.
            </RemoveTool>
          </span>
        </header>
        <p class="tool-about mono">{address}</p>
        {said.value !== undefined && <p role="status">{said.value}</p>}
        {error !== undefined && <Note kind="clay">{error}</Note>}
        {status === 'idle' && tools.length === 0 && <Note kind="plain">Test it to read which tools it has.</Note>}
        {status === 'sign_in' && (
          <Note
            kind="sun"
            icon="key"
            title="It needs a sign-in before its tools can be used."
            actions={
              <Button size="small" busy={signing.busy.value} onClick={() => void signing.run(signIn)}>
                Sign in
              </Button>
            }
          >
            {away.value !== undefined && (
              <>
                Go on in the other window. This page goes on by itself. <OpenAgain url={away.value} />
              </>
            )}
          </Note>
        )}
        {signing.fault.value !== undefined && <Note kind="clay">{signing.fault.value}</Note>}
        <AcceptAll server={name} changed={tools.filter(({ difference }) => difference !== undefined)} />
      </div>
      {tools.map((tool) => (
        <ServerTool key={tool.name} server={name} tool={tool} />
      ))}
      {instructions !== undefined && (
        <div class="tool-part">
          <h2 class="label">The server says about itself; the model never reads it</h2>
          <LongText text={instructions} shown={maxShownChars} />
        </div>
      )}
    </article>
  )
}

/** A server that was updated has changed many tools at once. One is accepted where its difference is shown. */
function AcceptAll({ server, changed }: { server: string; changed: readonly McpTool[] }) {
  if (changed.length < 2) return null
  return (
    <Note
      kind="sun"
      icon="pencil"
      title={`The server changed ${countWords(changed.length, 'tool')}. Each difference is shown below.`}
      actions={
        <ActButton size="small" act={() => reviewTools(server, changed)} failed={`${server} could not be reviewed.`}>
          Accept all
        </ActButton>
      }
    />
  )
}

function ServerTool({ server, tool }: { server: string; tool: McpTool }) {
  const { name, as, description, effect, status, hints = [], difference, refused } = tool
  const { run } = useAct()
  /** Choices are sent one after the other: the last one counts. */
  const sent = useRef(Promise.resolve())
  const set = (next: McpTool['effect']): void => {
    sent.current = sent.current.then(() => run(() => setEffect(server, name, next), `${name} could not be set.`))
  }
  return (
    <section class="tool-part" role="group" aria-label={name}>
      <header class="tool-head">
        <h3 class="mono">{name}</h3>
        {status === 'changed' && <Pill kind="sun">Changed</Pill>}
        {status === 'refused' && <Pill kind="clay">Refused</Pill>}
        {status !== 'refused' && (
          <span class="tool-acts">
            <Select name={`Calls of ${name}`} before="Calls" value={effect} options={effects} onChange={set} />
          </span>
        )}
      </header>
      {description !== '' && <LongText text={description} shown={maxShownChars} />}
      <p class="quiet">
        The model calls it <span class="mono">{as}</span>.
        {hints.length > 0 && ` The server says that ${hints.map((hint) => hintWords[hint]).join(', ')}.`}
      </p>
      {refused !== undefined && <Note kind="clay">It is not offered: {refused}.</Note>}
      {difference !== undefined && <Preview preview={{ type: 'diff', path: name, diff: difference }} name={as} />}
      {difference !== undefined && (
        <Note
          kind="sun"
          icon="pencil"
          title="The server changed it. The agent does not have it until you accept that."
          actions={
            <ActButton size="small" act={() => reviewTools(server, [tool])} failed={`${name} could not be reviewed.`}>
              Accept<span class="unseen"> {name}</span>
            </ActButton>
          }
        />
      )}
    </section>
  )
}
