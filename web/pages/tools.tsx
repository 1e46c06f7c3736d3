// The Tools page: the list of tools, and each tool's access, policy, secrets and test run.
import { useRef } from 'preact/hooks'
import type { Tool } from '#doors/web/wire/tool.ts'
import { groupsOf, type Kind, kindOf, policyLines, reachOf } from '../lib/reach.ts'
import { ActSwitch } from '../parts/act-switch.tsx'
import { Button } from '../parts/button.tsx'
import { WithCode } from '../parts/coded.tsx'
import { RemoveTool, ToolList } from '../parts/tool-list.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Pill } from '../parts/mark.tsx'
import { Page } from '../parts/page.tsx'
import { EmptyCard, When } from '../parts/states.tsx'
import { TwoSteps } from '../parts/two-steps.tsx'
import { useLive } from '../store/live-data.ts'
import { isOperator } from '../store/session.ts'
import { openServer, servers } from '../store/servers.ts'
import { openSkill, skills } from '../store/skills.ts'
import { openTool, removeTool, switchTool, toolAddress, tools } from '../store/tools.ts'
import { ServerDetail, ServerList } from './servers.tsx'
import { SkillDetail, SkillList, SkillPicker } from './skills.tsx'
import { Needs } from './tool-needs.tsx'
import { Trial } from './tool-trial.tsx'
import '../parts/confirm.css'
import './tools.css'

export function Tools() {
  useLive(tools)
  useLive(skills)
  useLive(servers)
  const dialog = useRef<HTMLDialogElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  return (
    <Page
      title="Tools"
      lead="What the agent can do, and exactly how far each one reaches."
      rows=".tool-row h3 > a"
      action={
        <>
          <Button icon="file" onClick={() => picker.current?.click()}>
            Add a skill
          </Button>
          {isOperator.value && (
            <Button icon="plus" popup="dialog" onClick={() => dialog.current?.showModal()}>
              Install a tool
            </Button>
          )}
        </>
      }
    >
      <When of={tools} what="The tools" rows={8}>
        {(list) => <Lists list={list} />}
      </When>
      <SkillPicker inputRef={picker} />
      <dialog class="confirm" ref={dialog} aria-labelledby="install-title">
        <h2 id="install-title">Install a tool</h2>
        <p>
          A tool is a file that anyone may have written. Install it on the service’s machine with this command, which
          first lists what the tool may do:
        </p>
        <pre class="install-line">atrium tool install FILE.wasm --capabilities FILE.json --name NAME</pre>
        <div class="confirm-buttons">
          <Button onClick={() => dialog.current?.close()}>Close</Button>
        </div>
      </dialog>
    </Page>
  )
}

function Lists({ list }: { list: readonly Tool[] }) {
  const chosen = list.find(({ name }) => name === openTool.value)
  const installed = list.filter(({ source }) => source === 'component')
  const builtIn = list.filter(({ source }) => source === 'built-in')
  const own = skills.data.value ?? []
  const skill = own.find(({ name }) => name === openSkill.value)
  const reached = servers.data.value ?? []
  const server = reached.find(({ name }) => name === openServer.value)
  // The operator has a group for each server; others see its tools alone.
  const fromServers = isOperator.value ? [] : list.filter(({ source }) => source === 'mcp')
  const other = openSkill.value !== undefined || openServer.value !== undefined
  const shown = other ? undefined : (chosen ?? installed[0] ?? builtIn[0])
  const open = openTool.value !== undefined || other
  return (
    <TwoSteps
      look="tools"
      open={open}
      back="/tools"
      all="All tools"
      list={
        <>
          {own.length > 0 && <SkillList list={own} shown={skill?.name} />}
          {reached.length > 0 && <ServerList list={reached} shown={server?.name} />}
          {fromServers.length > 0 && <List name="MCP servers" list={fromServers} shown={shown} />}
          {installed.length > 0 && <List name="Installed" list={installed} shown={shown} />}
          <List name="Built in" list={builtIn} shown={shown} />
        </>
      }
    >
      {openSkill.value !== undefined &&
        (skill ? <SkillDetail key={skill.name} skill={skill} /> : <Gone icon="book" what="skill" />)}
      {openServer.value !== undefined &&
        (server ? <ServerDetail key={server.name} server={server} /> : <Gone icon="wrench" what="server" />)}
      {!other && openTool.value !== undefined && !chosen ? (
        <Gone icon="wrench" what="tool" />
      ) : (
        shown && <Detail key={shown.name} tool={shown} grouped={isGrouped(shown, list)} />
      )}
    </TwoSteps>
  )
}

/** For an address of what is not there. */
function Gone({ icon, what }: { icon: IconName; what: string }) {
  return (
    <EmptyCard icon={icon} title={`There is no such ${what}`}>
      It may have been removed. The list shows every {what}.
    </EmptyCard>
  )
}

function isGrouped({ brief }: Tool, list: readonly Tool[]): boolean {
  return brief !== undefined && list.filter((each) => each.brief === brief).length > 1
}

function List({ name, list, shown }: { name: string; list: readonly Tool[]; shown: Tool | undefined }) {
  return (
    <ToolList name={name}>
      {groupsOf(list).map(({ tools: group, words }) => (
        <Row key={group[0]?.name} group={group} words={words} shown={shown} />
      ))}
    </ToolList>
  )
}

type RowProps = { group: readonly Tool[]; words: string | undefined; shown: Tool | undefined }

/** One tool, or a group of tools that are switched together. */
function Row({ group, words, shown }: RowProps) {
  const [tool] = group
  if (!tool) return null
  return (
    <li class="tool-row" aria-current={shown && group.includes(shown) ? 'true' : undefined}>
      <div class="tool-words">
        <div class={group.length > 1 ? 'tool-names several' : 'tool-names'}>
          {group.map(({ name }) => (
            <h3 key={name}>
              <a class="mono covers" href={toolAddress(name)}>
                {name}
              </a>
            </h3>
          ))}
        </div>
        <p class="two-lines">{words ?? firstSentence(tool.description)}</p>
      </div>
      <KindPill tool={{ ...tool, enabled: group.some(({ enabled }) => enabled) }} />
      <Enabled tools={group} />
    </li>
  )
}

function Enabled({ tools: group }: { tools: readonly Tool[] }) {
  const on = group.some(({ enabled }) => enabled)
  const set = async (next: boolean): Promise<void> => {
    for (const { name, enabled } of group) if (enabled !== next) await switchTool(name, next)
  }
  const failed = `${group.map(({ name }) => name).join(', ')} could not be switched.`
  // For others the pill beside it says whether the tool is off.
  if (!isOperator.value) return null
  return <ActSwitch name="Enabled" on={on} act={set} failed={failed} />
}

function KindPill({ tool }: { tool: Tool }) {
  const kind = kindOf(tool)
  if (kind === 'danger') return <Pill kind="clay">{tool.enabled ? 'Danger' : 'Off, danger'}</Pill>
  if (!tool.enabled) return <Pill>Off</Pill>
  return <Pill kind={pillKinds[kind] ?? 'plain'}>{kinds[kind]}</Pill>
}

const pillKinds: Readonly<Partial<Record<Kind, 'sun' | 'clay'>>> = {
  asks: 'sun',
  sign_in: 'sun',
  setup: 'sun',
  refused: 'clay',
}

const kinds: Readonly<Record<Kind, string>> = {
  reads: 'Reads',
  writes: 'Writes',
  asks: 'Asks',
  refused: 'Refused',
  danger: 'Danger',
  sign_in: 'Sign in',
  setup: 'Set up',
}

function Detail({ tool, grouped }: { tool: Tool; grouped: boolean }) {
  const { name, description, source, version } = tool
  const { may, cannot } = reachOf(tool)
  const own = source === 'built-in'
  return (
    <article class="card tool" aria-label={name}>
      <div class="tool-part">
        <header class="tool-head">
          <p class="tool-title">{name}</p>
          <Pill>{own ? 'Built in' : source === 'mcp' ? 'MCP server' : 'Sandboxed'}</Pill>
          {version !== undefined && <span class="quiet">{version}</span>}
          <span class="tool-acts">
            {grouped && <Enabled tools={[tool]} />}
            {source === 'component' && isOperator.value && (
              <RemoveTool name={name} remove={removeTool}>
                The agent loses it at once, and every secret that anybody gave it is deleted.
              </RemoveTool>
            )}
          </span>
        </header>
        <p class="tool-about">{description}</p>
        <Lines title="It may" icon="check" lines={may} />
        <Lines title="It can’t" icon="cross" lines={cannot} />
        <Lines title="Policy" icon="shield" lines={policyLines(tool)} />
      </div>
      {source === 'component' && <Needs tool={name} />}
      {isOperator.value && <Trial tool={tool} />}
    </article>
  )
}

function Lines({
  title,
  icon,
  lines,
}: {
  title: string
  icon: 'check' | 'cross' | 'shield'
  lines: readonly string[]
}) {
  if (lines.length === 0) return null
  return (
    <>
      <h2 class="label">{title}</h2>
      <ul class={`tool-lines ${icon}`}>
        {lines.map((line) => (
          <li key={line}>
            <Icon name={icon} />
            <span>
              <WithCode text={line} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function firstSentence(text: string): string {
  return /^[^\n]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.split('\n', 1)[0] ?? ''
}
